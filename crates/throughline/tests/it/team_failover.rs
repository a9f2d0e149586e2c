//! A primary that is killed while clients write, a standby that takes its place, and clients and servers
//! that are killed again and again: what was acknowledged is there, and nothing is there twice.
//!
//! Short here; `THROUGHLINE_TEAM_CYCLES=200` sets how often is killed, and `THROUGHLINE_TEAM_SECONDS` for
//! how long clients write before and after the failover.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::Home;

const CLIENTS: usize = 3;

/// A number that whoever runs the tests says.
#[expect(clippy::disallowed_methods, reason = "whoever runs the tests says how long")]
fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|told| told.parse().ok()).unwrap_or(usual)
}

/// Two clusters of the tests' own.
struct Pair {
    folder: PathBuf,
    url: String,
    ports: [u16; 2],
}

impl Pair {
    /// Another program may take a port before the server does; then others are tried.
    fn start() -> Self {
        for _ in 0..2 {
            if let Ok(pair) = std::panic::catch_unwind(Self::try_to_start) {
                return pair;
            }
        }
        Self::try_to_start()
    }

    fn try_to_start() -> Self {
        let kept = tempfile::Builder::new().prefix("tl-pair").tempdir_in("/tmp");
        let folder = kept.expect("a folder can be made").keep();
        let free = || TcpListener::bind("127.0.0.1:0").expect("a port");
        let (a, b) = (free(), free());
        let ports = [&a, &b].map(|one| one.local_addr().expect("an address").port());
        drop((a, b));
        let mut pair = Self { folder, url: String::new(), ports };
        let [a, b] = ports.map(|port| port.to_string());
        pair.url = script(&["start", text(&pair.folder), &a, &b]).trim().to_owned();
        pair
    }

    fn does(&self, what: &str, one: &str) {
        script(&[what, text(&self.folder), one]);
    }

    /// The address of one of them.
    fn only(&self, at: usize) -> String {
        format!("postgresql://postgres@127.0.0.1:{}/postgres", self.ports[at])
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        script(&["stop", text(&self.folder)]);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

fn script(args: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/postgres/pair.sh");
    let ran = Command::new(script).args(args).output().expect("bash is there");
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// What clients said, and what of it was acknowledged.
#[derive(Default)]
struct Said {
    acknowledged: Mutex<Vec<String>>,
    failed: Mutex<Vec<String>>,
    tried: AtomicUsize,
    stop: AtomicBool,
}

/// A client: a person who remembers one thing after the other, each by a process of its own.
fn client(url: &str, folder: &str, number: usize, said: &Said, running: &Mutex<Option<Child>>) {
    let home = Home::at(url);
    home.run(&["config", "set", "project.join", "auto"]);
    let mut at = 0;
    while !said.stop.load(Ordering::Acquire) {
        at += 1;
        let claim = format!("Client {number} wrote line {at} of its list");
        let mut command = home.from(folder).command();
        command.args(["--json", "remember", &claim]).env_remove("THROUGHLINE_NOW");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        said.tried.fetch_add(1, Ordering::Relaxed);
        let child = command.spawn().expect("the program starts");
        *running.lock().expect("nobody panics") = Some(child);
        let code = loop {
            let mut child = running.lock().expect("nobody panics");
            match child.as_mut().expect("it was just put there").try_wait().expect("it is ours") {
                Some(status) => break status.code(),
                None => drop(child),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let child = running.lock().expect("nobody panics").take().expect("it is there");
        let output = child.wait_with_output().expect("it has ended");
        match code {
            Some(0) => said.acknowledged.lock().expect("nobody panics").push(claim),
            Some(_) => {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                said.failed.lock().expect("nobody panics").push(why);
                // Whoever was told that the server is away waits a moment.
                std::thread::sleep(Duration::from_millis(200));
            }
            None => {} // killed
        }
    }
}

/// Everything that is there: each claim, and how often it was said.
fn everything(home: &Home) -> BTreeMap<String, Vec<usize>> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let listed = home.json(&["list", "--all"]);
    for item in listed["items"].as_array().expect("items") {
        let content = item["content"].as_str().expect("a text").to_owned();
        let evidence = item["evidence"].as_array().map_or(0, Vec::len);
        found.entry(content).or_default().push(evidence);
    }
    found
}

/// Nothing that was acknowledged is missing, and nothing is there twice.
fn assert_kept(home: &Home, said: &Said) -> usize {
    let found = everything(home);
    let acknowledged = said.acknowledged.lock().expect("nobody panics");
    let missing: Vec<&String> =
        acknowledged.iter().filter(|claim| !found.contains_key(*claim)).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    let twice: Vec<_> = found.iter().filter(|(_, times)| **times != [1]).collect();
    assert!(twice.is_empty(), "applied twice: {twice:?}");
    let checked: Value = home.json(&["doctor", "--rebuild-check"]);
    let wrong = |check: &&Value| check["outcome"] == "wrong";
    let wrong: Vec<_> =
        checked["checks"].as_array().expect("checks").iter().filter(wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    acknowledged.len()
}

/// What clients were told that did not get through: that the server was away or busy for longer than they wait. Whatever else
/// they were told is a fault.
fn waited_too_long(said: &Said) -> Vec<String> {
    let failed = said.failed.lock().expect("nobody panics").clone();
    for why in &failed {
        let told: Value = serde_json::from_str(why).unwrap_or_else(|_| panic!("no error: {why}"));
        let code = told["error"]["code"].as_str().unwrap_or_default();
        assert!(["unreachable", "busy"].contains(&code), "a client was told: {why}");
    }
    failed
}

fn acknowledged(said: &Said) -> usize {
    said.acknowledged.lock().expect("nobody panics").len()
}

/// Runs clients while `meanwhile` happens.
fn with_clients(
    first: &Home,
    meanwhile: impl FnOnce(&[Arc<Mutex<Option<Child>>>], &Said),
) -> Arc<Said> {
    let url = first.store_url().expect("it is on a server");
    let folder = first.project().to_str().expect("a plain name").to_owned();
    let said = Arc::new(Said::default());
    let running: Vec<Arc<Mutex<Option<Child>>>> = (0..CLIENTS).map(|_| Arc::default()).collect();
    let threads: Vec<_> = running
        .iter()
        .enumerate()
        .map(|(at, running)| {
            let (said, running) = (Arc::clone(&said), Arc::clone(running));
            let (url, folder) = (url.to_owned(), folder.clone());
            std::thread::spawn(move || client(&url, &folder, at, &said, &running))
        })
        .collect();
    meanwhile(&running, &said);
    said.stop.store(true, Ordering::Release);
    threads.into_iter().for_each(|one| one.join().expect("no client panics"));
    said
}

/// How often a failover is tried in which a client waited for longer than it wants to, as it may on a busy machine.
const TRIES: usize = 3;

#[test]
fn what_was_acknowledged_survives_the_primary_and_clients_go_on_by_themselves() {
    let mut late = Vec::new();
    for number in 1..=TRIES {
        // What is lost, applied twice or told wrongly fails there, the first time.
        let (told, waited) = fail_over();
        println!("{told}");
        late = waited;
        if late.is_empty() {
            return;
        }
        println!("try {number}: {} times a client waited for too long: {}", late.len(), late[0]);
    }
    panic!("clients do not go on by themselves: {late:?}");
}

/// Kills a primary under load and promotes its standby: how that went, and what clients were told who waited for too long.
fn fail_over() -> (String, Vec<String>) {
    let pair = Pair::start();
    let first = Home::at(&pair.url);
    first.json(&["config", "set", "project.join", "auto"]);
    first.remember("The list is empty");
    let seconds = Duration::from_secs(number("THROUGHLINE_TEAM_SECONDS", 3));
    let mut promoted = Duration::ZERO;
    let said = with_clients(&first, |_, _| {
        std::thread::sleep(seconds);
        pair.does("kill", "a");
        let began = Instant::now();
        pair.does("promote", "b");
        promoted = began.elapsed();
        std::thread::sleep(seconds);
    });
    let kept = assert_kept(&first, &said);
    let tried = said.tried.load(Ordering::Relaxed);
    let told = format!("promoted within {promoted:?}; {kept} acknowledged of {tried}");
    let mut late = waited_too_long(&said);
    if kept < CLIENTS {
        late.push(format!("only {kept} of their lines were written"));
    }
    // The old primary comes back as a standby, and `doctor` says so.
    pair.does("rejoin", "a");
    let doctor = first.json(&["doctor"]).to_string();
    assert!(doctor.contains("1 standby, 1 synchronous"), "{doctor}");
    let standby = Home::at(&pair.only(0)).json(&["doctor"]).to_string();
    assert!(standby.contains("this is a standby"), "{standby}");
    (told, late)
}

#[test]
fn whoever_is_killed_nothing_acknowledged_is_lost_and_nothing_is_applied_twice() {
    let pair = Pair::start();
    pair.does("kill", "a");
    pair.does("promote", "b");
    let url = pair.only(1);
    let first = Home::at(&url);
    first.json(&["config", "set", "project.join", "auto"]);
    first.remember("The list is empty");
    let cycles = number("THROUGHLINE_TEAM_CYCLES", 5);
    let mut dice = 11_u64;
    let mut roll = move |sides: u64| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    let (mut clients, mut servers) = (0, 0);
    let said = with_clients(&first, |running, said| {
        for cycle in 0..cycles {
            // Somebody writes again before the next one is killed.
            let (before, began) = (acknowledged(said), Instant::now());
            while acknowledged(said) == before && began.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(20));
            }
            std::thread::sleep(Duration::from_millis(roll(400)));
            // The first two are one of each.
            if cycle != 1 && (cycle == 0 || roll(2) == 0) {
                servers += 1;
                pair.does("kill", "b");
                std::thread::sleep(Duration::from_millis(roll(300)));
                pair.does("restart", "b");
            } else {
                let one = usize::try_from(roll(CLIENTS as u64)).expect("small");
                let mut child = running[one].lock().expect("nobody panics");
                if let Some(child) = child.as_mut() {
                    clients += usize::from(child.kill().is_ok());
                }
            }
        }
        std::thread::sleep(Duration::from_millis(500));
    });
    let kept = assert_kept(&first, &said);
    println!(
        "{cycles} cycles: {servers} times the server, {clients} times a client; {kept} acknowledged \
         of {}, {} told that the server was away",
        said.tried.load(Ordering::Relaxed),
        waited_too_long(&said).len()
    );
    assert!(kept > 0 && servers > 0, "there was something to lose");
}
