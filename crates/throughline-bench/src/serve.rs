//! How quick the server is, as a browser sees it: a real process over real connections, each route by itself, then a
//! mixture of reads at a steady rate beside writes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::kept::Kept;
use crate::recall::{self, Options, measure, row};

/// Requests a second of the mixture unless `--rate` says another number, and the connections that make them.
const RATE: usize = 500;
const CONNECTIONS: usize = 8;
/// Between two writes beside the mixture.
const WRITE_EVERY: Duration = Duration::from_millis(500);
/// Five seconds each, in which the server is looked at while nobody asks.
const SETTLES: usize = 3;
/// What the server may take to organise what came in, and the processor time of five seconds from which on it is busy.
const ORGANISED_WITHIN: Duration = Duration::from_secs(600);
const BUSY_TICKS: u64 = 25;

pub(crate) fn run(words: &[String]) -> anyhow::Result<()> {
    let (seconds, words) = number(words, "--seconds", 60)?;
    let (rate, words) = number(&words, "--rate", RATE)?;
    let (kept, words) = Kept::read(&words)?;
    let options = Options::read(&words)?;
    let home = kept.home(|folder| Ok(recall::fill(&options, folder)?.0))?;
    let said = Corpus::new(options.episodes.max(1));
    let server = Server::start(&options.binary, &home, &kept.project())?;
    let mut client = server.client()?;
    let listed = client.get("/api/v1/memories?limit=200")?;
    let ids: Vec<String> = listed["items"]
        .as_array()
        .context("a list")?
        .iter()
        .filter_map(|one| Some(one["id"].as_str()?.to_owned()))
        .collect();
    let total = listed["total"].as_u64().unwrap_or(0);
    println!("{:<44} {:>10} {:>10}", "", "median", "95 %");
    // The first recall reads the index, which stays.
    client.post("/api/v1/recall", &json!({ "query": said.question(0) }))?;
    let runs = options.runs;
    let mut time =
        |name: &str, ask: &mut dyn FnMut(&mut Client, usize) -> anyhow::Result<Value>| {
            let before = server.ticks().unwrap_or(0);
            row(name, &measure(runs, |n| ask(&mut client, n).map(drop).expect("it answers")));
            busy_for(server.ticks().unwrap_or(0) - before, runs);
        };
    time("list, first page", &mut |client, _| client.get("/api/v1/memories"));
    time("list, anywhere", &mut |client, n| {
        let offset = n as u64 * 7_919 % total.max(1);
        client.get(&format!("/api/v1/memories?offset={offset}"))
    });
    time("search", &mut |client, n| {
        client.get(&format!("/api/v1/memories?q={}", encoded(&said.question(n))))
    });
    time("memory", &mut |client, n| {
        client.get(&format!("/api/v1/memories/{}", ids[n % ids.len()]))
    });
    time("why", &mut |client, n| {
        client.get(&format!("/api/v1/memories/{}/why", ids[n % ids.len()]))
    });
    time("recall", &mut |client, n| {
        client.post("/api/v1/recall", &json!({ "query": said.question(n) }))
    });
    time("review", &mut |client, _| client.get("/api/v1/review"));
    time("graph, 500 nodes", &mut |client, _| client.get("/api/v1/graph"));
    println!("memory before the mixture: {} MB", server.megabytes()?);
    mixture(&server, &ids, (rate, seconds), &|n| said.question(n))?;
    println!("memory after the mixture: {} MB", server.megabytes()?);
    settle(&server)
}

/// What came in is organised first, which is work; then nothing is left to do.
fn settle(server: &Server) -> anyhow::Result<()> {
    let spent = || {
        let before = server.ticks()?;
        std::thread::sleep(Duration::from_secs(5));
        anyhow::Ok(server.ticks()? - before)
    };
    let (began, before) = (Instant::now(), server.ticks()?);
    while spent()? >= BUSY_TICKS {
        ensure!(began.elapsed() < ORGANISED_WITHIN, "the server is still busy, and nobody asks");
    }
    let (took, ticks) = (began.elapsed().as_secs(), server.ticks()? - before);
    println!("organised what came in within {took} s, {} ms of processor time", ticks * 10);
    println!("memory after that: {} MB", server.megabytes()?);
    for _ in 0..SETTLES {
        println!("idle for five seconds: {} ms of processor time", spent()? * 10);
    }
    Ok(())
}

/// The number behind an option, and the other options.
fn number(words: &[String], name: &str, usual: usize) -> anyhow::Result<(usize, Vec<String>)> {
    let Some(at) = words.iter().position(|word| word == name) else {
        return Ok((usual, words.to_vec()));
    };
    let value = words.get(at + 1).with_context(|| format!("{name} needs a value"))?.parse()?;
    Ok((value, [&words[..at], &words[at + 2..]].concat()))
}

/// Reads of every sort at a steady rate, and a write now and then.
fn mixture(
    server: &Server,
    ids: &[String],
    (rate, seconds): (usize, usize),
    question: &(dyn Fn(usize) -> String + Sync),
) -> anyhow::Result<()> {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let times = Mutex::new(Vec::new());
    let ticks = server.ticks()?;
    let began = Instant::now();
    let all = rate * seconds;
    let took = Mutex::new(Duration::ZERO);
    std::thread::scope(|scope| -> anyhow::Result<()> {
        for _ in 0..CONNECTIONS {
            let mut client = server.client()?;
            let (next, failed, times, took) = (&next, &failed, &times, &took);
            scope.spawn(move || {
                let mut own = Vec::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= all {
                        break;
                    }
                    #[expect(clippy::cast_precision_loss, reason = "requests are few")]
                    let due = Duration::from_secs_f64(n as f64 / rate as f64);
                    std::thread::sleep(due.saturating_sub(began.elapsed()));
                    let since = Instant::now();
                    let answer = match n % 10 {
                        0..=2 => client.get("/api/v1/memories"),
                        3..=5 => client.get(&format!("/api/v1/memories/{}", ids[n % ids.len()])),
                        6..=7 => {
                            client.get(&format!("/api/v1/memories?q={}", encoded(&question(n))))
                        }
                        8 => client.post("/api/v1/recall", &json!({ "query": question(n) })),
                        _ => client.get("/api/v1/review"),
                    };
                    own.push(since.elapsed());
                    failed.fetch_add(usize::from(answer.is_err()), Ordering::Relaxed);
                }
                times.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
                *took.lock().unwrap_or_else(PoisonError::into_inner) = began.elapsed();
            });
        }
        let mut writer = server.client()?;
        let failed = &failed;
        scope.spawn(move || {
            let mut n = 0;
            while began.elapsed().as_secs() < seconds as u64 {
                let body = json!({ "content": format!("bench {n}: {}", question(n)) });
                let written = writer.post("/api/v1/memories", &body);
                failed.fetch_add(usize::from(written.is_err()), Ordering::Relaxed);
                n += 1;
                std::thread::sleep(WRITE_EVERY);
            }
        });
        Ok(())
    })?;
    let mut times = times.into_inner().unwrap_or_else(PoisonError::into_inner);
    times.sort_unstable();
    row(&format!("mixture, {rate}/s wanted for {seconds} s"), &times);
    busy_for(server.ticks()? - ticks, all);
    let took = took.into_inner().unwrap_or_else(PoisonError::into_inner);
    #[expect(clippy::cast_precision_loss, reason = "requests are few")]
    let reached = all as f64 / took.as_secs_f64();
    println!("answered {reached:.0}/s, {} failed", failed.load(Ordering::Relaxed));
    Ok(())
}

/// Prints the processor time of the server for one request: what the clock says depends on who else works here.
fn busy_for(ticks: u64, requests: usize) {
    #[expect(clippy::cast_precision_loss, reason = "requests are few")]
    let each = ticks as f64 * 10.0 / requests.max(1) as f64;
    println!("{:<44} {each:>7.2} ms", "  of its processor time, each");
}

struct Server {
    child: Child,
    address: String,
    token: String,
}

impl Server {
    fn start(binary: &Path, home: &Path, project: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(binary)
            .args(["--json", "serve", "--port", "0"])
            .args([Path::new("--home"), home, Path::new("--project"), project])
            .env_remove("THROUGHLINE_NOW")
            .env_remove("THROUGHLINE_TOKEN")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| binary.display().to_string())?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().context("a pipe")?).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line)?;
        let link = told["link"].as_str().context("a link")?;
        let (address, rest) =
            link.trim_start_matches("http://").split_once('/').context("an address")?;
        let token = rest.split("token=").nth(1).context("a token")?;
        Ok(Self { child, address: address.to_owned(), token: token.to_owned() })
    }

    fn client(&self) -> anyhow::Result<Client> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        let (address, token) = (self.address.clone(), self.token.clone());
        Ok(Client { stream: BufReader::new(stream), address, token })
    }

    fn megabytes(&self) -> anyhow::Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("its size")?;
        Ok(line.split_whitespace().nth(1).context("a number")?.parse::<u64>()? / 1_024)
    }

    /// Hundredths of a second that it has used.
    fn ticks(&self) -> anyhow::Result<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> =
            stat.rsplit_once(')').context("its fields")?.1.split_whitespace().collect();
        Ok(fields[11].parse::<u64>()? + fields[12].parse::<u64>()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// One connection that is kept.
struct Client {
    stream: BufReader<TcpStream>,
    address: String,
    token: String,
}

impl Client {
    fn get(&mut self, path: &str) -> anyhow::Result<Value> {
        self.ask("GET", path, "")
    }

    fn post(&mut self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask("POST", path, &body.to_string())
    }

    fn ask(&mut self, method: &str, path: &str, body: &str) -> anyhow::Result<Value> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut status) = (0, String::new());
        loop {
            let mut line = String::new();
            ensure!(self.stream.read_line(&mut line)? > 0, "the connection ended");
            if line.starts_with("HTTP/") {
                status = line.split(' ').nth(1).unwrap_or_default().to_owned();
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse()?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        if !status.starts_with('2') {
            bail!("{method} {path}: {status} {}", String::from_utf8_lossy(&bytes));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }
}

/// A text as it stands in a query.
fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
