//! A server that runs for a test, and a client that says exactly what it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::Home;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that is stopped with the test.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) link: String,
    pub(crate) token: String,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }
}

impl Served {
    /// Starts a server for a home on any free port.
    pub(crate) fn start(home: &Home) -> Self {
        Self::with(home.command())
    }

    /// The same with a command that is prepared already.
    pub(crate) fn with(command: Command) -> Self {
        Self::with_args(command, &[])
    }

    /// The same with further arguments of `serve`.
    pub(crate) fn with_args(mut command: Command, args: &[&str]) -> Self {
        command.args(["--json", "serve", "--port", "0"]).args(args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("the server says where it is");
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| {
            let mut stderr = String::new();
            child.stderr.as_mut().expect("a pipe").read_to_string(&mut stderr).ok();
            panic!("the server said {line:?} and {stderr:?}");
        });
        let link = told["link"].as_str().expect("a link").to_owned();
        let url = told["url"].as_str().expect("a url");
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        let address = address.parse().expect("an address");
        let token = link.split("token=").nth(1).expect("a token").to_owned();
        Self { child, address, link, token }
    }

    /// Says something raw to it and hears everything until it closes the connection.
    pub(crate) fn say_raw(&self, text: &[u8]) -> Heard {
        let mut stream = self.connect();
        // Who is refused early may close before everything was said.
        stream.write_all(text).ok();
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).ok();
        read(&heard)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// The head of a request.
    pub(crate) fn head(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> String {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head
    }

    /// A request with just these headers.
    pub(crate) fn plain(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Heard {
        let mut text = self.head(method, path, headers);
        if !body.is_empty() {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str(&format!("Connection: close\r\n\r\n{body}"));
        self.say_raw(text.as_bytes())
    }

    /// A request with the token and further headers.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        more: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Heard {
        let bearer = format!("Bearer {}", self.token);
        let mut headers = vec![("Authorization", bearer.as_str())];
        headers.extend_from_slice(more);
        let body = body.map(ToString::to_string).unwrap_or_default();
        if !body.is_empty() {
            headers.push(("Content-Type", "application/json"));
        }
        self.plain(method, path, &headers, &body)
    }

    /// Gets JSON that must be there.
    pub(crate) fn get(&self, path: &str) -> Value {
        let heard = self.ask("GET", path, &[], None);
        assert_eq!(heard.status, 200, "GET {path}: {heard:?}");
        heard.json()
    }

    /// Posts JSON that must be taken.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let heard = self.ask("POST", path, &[], Some(body));
        assert!([200, 201].contains(&heard.status), "POST {path}: {heard:?}");
        heard.json()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The same as `ask` to one that may listen no more.
    pub(crate) fn try_ask(&self, method: &str, path: &str, body: &Value) -> Option<Heard> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let (bearer, body) = (format!("Bearer {}", self.token), body.to_string());
        let length = body.len().to_string();
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
            ("Connection", "close"),
        ];
        let head = self.head(method, path, &headers);
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).ok()?;
        let mut heard = Vec::new();
        stream.read_to_end(&mut heard).ok()?;
        Some(read(&heard))
    }

    /// Tells it to stop, and returns its exit code and what it said.
    pub(crate) fn stop(self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        let done = Command::new("kill").args([signal, &pid]).status().expect("kill runs");
        assert!(done.success());
        self.ended()
    }

    /// Waits until it has ended, and returns its exit code and what it said.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("its end can be waited for") {
                let mut stderr = String::new();
                self.child.stderr.as_mut().expect("a pipe").read_to_string(&mut stderr).ok();
                return (status.code(), stderr);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server did not stop");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Takes an answer apart.
fn read(bytes: &[u8]) -> Heard {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or(0);
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let mut heard = Heard { status, headers, body: body.to_owned() };
    if heard.header("transfer-encoding") == Some("chunked") {
        heard.body = unchunked(body);
    }
    heard
}

/// A body that came in parts. What is cut off is left out.
fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let Ok(size @ 1..) = usize::from_str_radix(size.trim(), 16) else { break };
        let Some(part) = rest.get(..size) else { break };
        whole.push_str(part);
        body = rest[size..].trim_start_matches("\r\n");
    }
    whole
}
