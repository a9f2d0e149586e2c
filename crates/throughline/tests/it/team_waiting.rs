//! A server that is slow, held by somebody, read-only or full while agents tell: each hook ends in time, every turn
//! waits in the journal, and another process takes it in later, once and in order.

use std::io::Write as _;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Home, Run, administer, server_url};
use crate::hooking::{Agent, PATIENT};

/// What a hook has for its answer, and what a debug build on a busy machine may take beyond that.
const DEADLINE: (&str, &str) = ("THROUGHLINE_DEADLINE_MS", "300");
const IN_TIME: Duration = Duration::from_secs(6);

/// What is the matter with the server.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Matter {
    /// It accepts a connection and never says a word.
    Slow,
    /// It answers, and somebody holds a table that every batch is written to.
    Held,
    ReadOnly,
    Full,
}

/// A server on which that is the matter, for as long as this lives.
struct Trouble {
    matter: Matter,
    schema: String,
    role: String,
    /// The address that hooks are given, where it is another one.
    url: Option<String>,
    _deaf: Option<TcpListener>,
    holder: Option<Child>,
}

impl Trouble {
    fn begin(matter: Matter, home: &Home) -> Self {
        let url = home.store_url().expect("it is on a server");
        let schema = url.rsplit_once("schema=").expect("a schema").1.to_owned();
        let role = url.split("//").nth(1).and_then(|rest| rest.split(':').next()).expect("a role");
        let mut trouble =
            Self { matter, schema, role: role.to_owned(), url: None, _deaf: None, holder: None };
        let (schema, role) = (&trouble.schema, &trouble.role);
        match matter {
            Matter::Slow => {
                let deaf = TcpListener::bind("127.0.0.1:0").expect("a port");
                let port = deaf.local_addr().expect("an address").port();
                trouble.url = Some(format!("postgresql://{role}@127.0.0.1:{port}/postgres"));
                trouble._deaf = Some(deaf);
            }
            Matter::Held => trouble.holder = Some(hold(schema)),
            Matter::ReadOnly => drop(administer(&format!(
                "ALTER ROLE {role} SET default_transaction_read_only = on"
            ))),
            Matter::Full => drop(administer(&format!(
                "CREATE FUNCTION {schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                 BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$;
                 CREATE TRIGGER refuse BEFORE INSERT ON {schema}.batch
                   FOR EACH ROW EXECUTE FUNCTION {schema}.refuse()"
            ))),
        }
        trouble
    }

    /// What a hook finds in its environment.
    fn environment(&self) -> Vec<(&str, &str)> {
        let url = self.url.iter().map(|url| ("THROUGHLINE_STORE_URL", url.as_str()));
        url.chain([DEADLINE]).collect()
    }
}

impl Drop for Trouble {
    fn drop(&mut self) {
        let (schema, role) = (&self.schema, &self.role);
        match self.matter {
            Matter::Slow => {}
            Matter::Held => {
                administer(&format!(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = '{schema}'"
                ));
                self.holder.take().map(|mut one| one.wait());
            }
            Matter::ReadOnly => {
                administer(&format!("ALTER ROLE {role} RESET default_transaction_read_only"));
            }
            Matter::Full => {
                administer(&format!("DROP TRIGGER refuse ON {schema}.batch"));
            }
        }
    }
}

/// Somebody who holds a table and does nothing with it.
fn hold(schema: &str) -> Child {
    let url = server_url(18, "x");
    let (url, _) = url.split_once('?').expect("the address names a schema");
    let sql = format!("BEGIN; LOCK TABLE {schema}.batch; SELECT pg_sleep(600)");
    let holder = Command::new("/usr/lib/postgresql/15/bin/psql")
        .args(["-qXAt", "-c", &sql, url])
        .env("PGAPPNAME", schema)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("tools/postgres/start.sh installs it");
    let held = format!(
        "SELECT count(*) FROM pg_locks WHERE relation = '{schema}.batch'::regclass AND granted
           AND mode = 'AccessExclusiveLock'"
    );
    let began = Instant::now();
    while administer(&held).trim() != "1" {
        assert!(began.elapsed() < Duration::from_secs(20), "nobody holds the table");
        std::thread::sleep(Duration::from_millis(20));
    }
    holder
}

/// The turns of each session in the order in which the log has them.
fn recorded(home: &Home, session: &str) -> Vec<String> {
    let file = home.arg("log.jsonl");
    home.json(&["export", "--output", &file]);
    let log = std::fs::read_to_string(home.outside("log.jsonl")).expect("the export is there");
    std::fs::remove_file(home.outside("log.jsonl")).expect("it can be removed");
    let batches = log.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let changes =
        batches.flat_map(|batch| batch["changes"].as_array().cloned().unwrap_or_default());
    let records = changes.filter_map(|change| change.get("record").cloned());
    let own = records.filter(|record| record["session"] == session);
    own.map(|record| record["text"].as_str().expect("a text").to_owned()).collect()
}

/// What an agent is told in one session and answers to it.
fn turns(session: &str) -> Vec<String> {
    let prompts = (1..=3).map(|at| {
        [
            format!("Where does number {at} of the list of {session} come from?"),
            format!("Number {at} of {session} comes from the cart."),
        ]
    });
    prompts.flatten().collect()
}

fn tell(home: &Home, session: &str, at: usize, environment: &[(&str, &str)]) {
    let words = &turns(session)[at];
    let (event, fields) = if at.is_multiple_of(2) {
        ("UserPromptSubmit", json!({"prompt": words}))
    } else {
        ("Stop", json!({"stop_hook_active": false, "last_assistant_message": words}))
    };
    let began = Instant::now();
    let run = Agent::new(home, session).call(event, &fields, environment);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "", ""), "{event}");
    assert!(began.elapsed() < IN_TIME, "{event}: {:?}", began.elapsed());
}

/// What `status` says of the queue, with the server or without it.
fn queue(home: &Home, environment: &[(&str, &str)]) -> String {
    let began = Instant::now();
    let run = home.command().envs(environment.iter().copied()).args(["status"]).output();
    let run = Run::from(run.expect("the program runs"));
    assert!(began.elapsed() < 3 * IN_TIME, "status: {:?}", began.elapsed());
    let all = format!("{}{}", run.stdout, run.stderr);
    let line = all.lines().find(|line| line.contains("sessions wait in the journal"));
    line.unwrap_or_else(|| panic!("no queue: {all}")).to_owned()
}

/// Somebody else who takes in what waits: the hook of a session that begins, or a command. It runs beside.
fn beside(home: &Home, by_hook: bool) -> Child {
    let mut command = home.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if by_hook {
        command.args(["hook", "SessionStart", "--agent", "claude-code"]).envs([PATIENT]);
    } else {
        command.args(["--json", "sleep"]);
    }
    let mut child = command.spawn().expect("the program starts");
    let payload = Agent::new(home, "beside").payload("SessionStart", &json!({"source": "startup"}));
    let mut input = child.stdin.take().expect("its input is ours");
    // A command reads nothing.
    drop(input.write_all(payload.as_bytes()));
    child
}

/// Takes in what waits by sessions that begin, each of which has little time for it, or by a command.
fn drain(home: &Home, by_hook: bool) {
    if !by_hook {
        home.json(&["sleep"]);
        return;
    }
    for at in 0..10 {
        let next = Agent::new(home, &format!("later {at}"));
        next.call("SessionStart", &json!({"source": "startup"}), &[]);
        if home.json(&["status"])["queue"] == 0 {
            return;
        }
    }
    panic!("no session that begins takes in what waits");
}

fn turns_wait_and_come_in_once(matter: Matter, role: &str, by_hook: bool) {
    let first = Home::on_server(18);
    first.json(&["list"]);
    let home = first.of_person(role);
    home.remember("Staging runs Postgres 16");
    let trouble = Trouble::begin(matter, &home);
    // Two sessions take turns.
    for at in 0..turns("a").len() {
        for session in ["a", "b"] {
            tell(&home, session, at, &trouble.environment());
        }
    }
    let told = queue(&home, &trouble.environment());
    assert!(told.contains("12 turns of 2 sessions wait in the journal"), "{matter:?}: {told}");
    drop(trouble);

    // Two processes are at it at once.
    let other = beside(&home, by_hook);
    drain(&home, by_hook);
    assert_eq!(Run::from(other.wait_with_output().expect("it ends")).code, 0);
    for _ in 0..2 {
        for session in ["a", "b"] {
            assert_eq!(recorded(&home, session), turns(session), "{matter:?}: {session}");
        }
        drain(&home, false);
    }
    let status = home.json(&["status"]);
    assert_eq!((&status["queue"], &status["queue_sessions"]), (&json!(0), &json!(0)), "{status}");
    assert_eq!(home.json(&["doctor", "--rebuild-check"])["ok"], true);
}

#[test]
fn turns_that_a_silent_server_did_not_take_wait_and_come_in_once_and_in_order() {
    turns_wait_and_come_in_once(Matter::Slow, "tl_waits_slow", true);
}

#[test]
fn turns_that_somebody_who_holds_the_table_kept_out_wait_and_come_in_once_and_in_order() {
    turns_wait_and_come_in_once(Matter::Held, "tl_waits_held", false);
}

#[test]
fn turns_that_a_read_only_server_refused_wait_and_come_in_once_and_in_order() {
    turns_wait_and_come_in_once(Matter::ReadOnly, "tl_waits_readonly", true);
}

#[test]
fn turns_that_a_full_server_refused_wait_and_come_in_once_and_in_order() {
    turns_wait_and_come_in_once(Matter::Full, "tl_waits_full", false);
}

/// A proxy before the server: its port, and how many connections were made by it.
fn counting(home: &Home) -> (String, Arc<AtomicUsize>) {
    let url = home.store_url().expect("it is on a server");
    let at = url.find("127.0.0.1:").expect("it is on loopback");
    let place = url[at..].split('/').next().expect("a place").to_owned();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("an address").to_string();
    let made = Arc::new(AtomicUsize::new(0));
    let (count, target) = (Arc::clone(&made), place.clone());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::Relaxed);
            let server = TcpStream::connect(&target).expect("the server is there");
            for (from, to) in [(&client, &server), (&server, &client)] {
                let both = (from.try_clone(), to.try_clone());
                let (mut from, mut to) = (both.0.expect("a handle"), both.1.expect("a handle"));
                std::thread::spawn(move || {
                    std::io::copy(&mut from, &mut to).ok();
                    to.shutdown(Shutdown::Both).ok();
                });
            }
        }
    });
    (url.replacen(&place, &own, 1), made)
}

#[test]
fn a_hook_makes_one_connection_whatever_it_is_told() {
    let home = Home::on_server(18);
    home.remember("The staging database runs on Postgres 16");
    let (url, made) = counting(&home);
    let through = [("THROUGHLINE_STORE_URL", url.as_str())];
    let agent = Agent::new(&home, "a");
    let answered = json!({"stop_hook_active": false, "last_assistant_message": "Postgres 16."});
    for (event, fields) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "Which Postgres does the staging database run on?"})),
        ("UserPromptSubmit", json!({"prompt": "The staging database runs on Postgres 17 now."})),
        ("Stop", answered),
        ("SessionEnd", json!({"reason": "exit"})),
    ] {
        let before = made.load(Ordering::Relaxed);
        let run = agent.call(event, &fields, &through);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{event}");
        assert_eq!(made.load(Ordering::Relaxed) - before, 1, "{event}");
    }
    assert_eq!(home.texts(&["search", "staging database"]).len(), 1);
}
