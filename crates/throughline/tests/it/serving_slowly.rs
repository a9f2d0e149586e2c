//! The server against clients that say nothing, say it slowly, or never listen: others are answered all the same.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::harness::Home;
use crate::served::Served;

/// Connections that say nothing.
const IDLE: usize = 1_000;
/// How long a head or a body may take, and what a busy machine adds to it.
const SLOW_ENDS: Duration = Duration::from_secs(20);

/// Lets this process hold so many files open.
fn allow_files(wanted: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let held = getrlimit(Resource::Nofile);
    if held.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), ..held };
        setrlimit(Resource::Nofile, raised).expect("so many files may be open");
    }
}

#[test]
fn a_thousand_clients_that_say_nothing_keep_nobody_out() {
    let home = Home::live();
    let server = Served::start(&home);
    // More than it holds: some are refused at once, the others after ten seconds.
    allow_files(IDLE as u64 + 100);
    let idle: Vec<TcpStream> = (0..IDLE).map(|_| server.connect()).collect();
    assert_eq!(idle.len(), IDLE);
    let since = Instant::now();
    let heard = loop {
        let heard = server.ask("GET", "/api/v1/status", &[], None);
        if heard.status == 200 || since.elapsed() > Duration::from_secs(15) {
            break heard;
        }
        // Who is one too many is told so, and when to come again.
        assert!([503, 0].contains(&heard.status), "{heard:?}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(heard.status, 200, "idle connections keep everybody out");
    assert!(since.elapsed() < Duration::from_secs(12), "{:?}", since.elapsed());
    drop(idle);
}

/// Says the beginning, then a letter each second, until the server ends it; what it said, and after how long.
fn drip(server: &Served, beginning: &str) -> (String, Duration) {
    let mut stream = server.connect();
    stream.write_all(beginning.as_bytes()).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(1))).expect("a timeout");
    let (since, mut heard) = (Instant::now(), Vec::new());
    while since.elapsed() < SLOW_ENDS {
        let mut part = [0; 4_096];
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(read) => heard.extend_from_slice(&part[..read]),
            // It waits for more, and gets a little of it.
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                stream.write_all(b" ").ok();
            }
            Err(_) => break,
        }
    }
    (String::from_utf8_lossy(&heard).into_owned(), since.elapsed())
}

#[test]
fn whoever_says_it_letter_by_letter_is_cut_off_after_ten_seconds_with_and_without_the_token() {
    let home = Home::live();
    let server = Served::start(&home);
    let bearer = format!("Bearer {}", server.token);
    let head = format!("GET /api/v1/status HTTP/1.1\r\nHost: {}\r\nX-Slow: ", server.address);
    let body = |path: &str, kind: &str, more: &[(&str, &str)]| {
        let mut headers = vec![("Content-Type", kind), ("Content-Length", "1000")];
        headers.extend_from_slice(more);
        format!("{}\r\n", server.head("POST", path, &headers))
    };
    let token = ("Authorization", bearer.as_str());
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    let both = ("Accept", "application/json, text/event-stream");
    let bodies = [
        body("/api/v1/memories", json, &[token]) + "{",
        body("/login", form, &[]) + "token=",
        body("/login", json, &[]) + "{",
        body("/mcp", json, &[token, both]) + "{",
    ];
    std::thread::scope(|scope| {
        let server = &server;
        // Whether with an answer or without one, the connection ends.
        scope.spawn(move || {
            let (_, took) = drip(server, &head);
            assert!(took < SLOW_ENDS, "a head may take as long as it likes");
        });
        // Who is refused need not be heard out.
        let refused = body("/api/v1/memories", json, &[]) + "{";
        scope.spawn(move || {
            let (heard, took) = drip(server, &refused);
            assert!(heard.starts_with("HTTP/1.1 401 "), "{heard}");
            assert!(took < Duration::from_secs(5), "{took:?}");
        });
        for beginning in &bodies {
            scope.spawn(move || {
                let (heard, took) = drip(server, beginning);
                assert!(took < SLOW_ENDS, "it may take as long as it likes: {beginning}");
                assert!(heard.starts_with("HTTP/1.1 408 "), "{beginning}: {heard}");
                assert!(heard.contains("too_slow"), "{beginning}: {heard}");
            });
        }
    });
    server.get("/api/v1/status");
}
