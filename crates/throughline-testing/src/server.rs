//! A server that answers as it is told to, and misbehaves where it should.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;

/// What somebody asked.
#[derive(Debug, Clone)]
pub struct Heard {
    /// Where.
    pub path: String,
    /// With which headers, in lower case.
    pub headers: Vec<(String, String)>,
    /// What.
    pub body: Value,
}

impl Heard {
    /// A header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub enum Reply {
    /// Status, further headers, body.
    Body(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// The beginning of an answer that promises more than comes.
    CutOff(Vec<u8>),
    /// The connection breaks.
    Nothing,
    /// Silence, until whoever asked gives up.
    Silence,
}

impl Reply {
    /// JSON, and all is well.
    pub fn json(body: &Value) -> Self {
        Self::status(200, body)
    }

    /// JSON with a status.
    pub fn status(status: u16, body: &Value) -> Self {
        Self::Body(status, Vec::new(), body.to_string().into_bytes())
    }
}

/// A server on this machine, until it is dropped.
#[derive(Debug)]
pub struct Server {
    /// Where it is.
    pub address: String,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl Server {
    /// Starts one. Every question is answered in a thread of its own, so an answer may wait.
    pub fn start(answer: impl Fn(&Heard) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it has an address"));
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&heard), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream, &kept, &*answer));
            }
        });
        Self { address, heard }
    }

    /// What was asked so far.
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until so many questions came.
    pub fn wait_for(&self, count: usize) {
        for _ in 0..3_000 {
            if self.heard().len() >= count {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("{} of {count} questions came", self.heard().len());
    }
}

fn serve(mut stream: TcpStream, kept: &Mutex<Vec<Heard>>, answer: &dyn Fn(&Heard) -> Reply) {
    let Some(heard) = hear(&stream) else { return };
    kept.lock().unwrap_or_else(PoisonError::into_inner).push(heard.clone());
    let written = match answer(&heard) {
        Reply::Body(status, headers, body) => {
            let mut head = format!(
                "HTTP/1.1 {status} So\r\ncontent-type: application/json\r\nconnection: close\r\n\
                 content-length: {}\r\n",
                body.len()
            );
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str("\r\n");
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body))
        }
        Reply::CutOff(body) => {
            let head = format!("HTTP/1.1 200 So\r\ncontent-length: {}\r\n\r\n", body.len() + 1_000);
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body))
        }
        Reply::Nothing => Ok(()),
        Reply::Silence => {
            // Ends when the other side hangs up.
            std::io::copy(&mut stream, &mut std::io::sink()).map(drop)
        }
    };
    // Whoever gave up is no longer there to be answered.
    written.ok();
}

fn hear(stream: &TcpStream) -> Option<Heard> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Heard { path, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}
