//! Many processes at once, and processes that are killed: nothing acknowledged is ever lost.

use std::io::Read as _;
use std::process::{Child, Stdio};

use serde_json::json;

use crate::harness::{Home, clean, id_of, slow, strings};
use crate::hook_trouble::journaled;
use crate::hooking::{Agent, PATIENT, assert_sound, call, told};
use crate::mcp_client::Client;

/// Processes that write at the same time.
const WRITERS: usize = 16;

/// Memories that each of them writes: few in everyday runs, the full load when the long versions
/// are asked for with `THROUGHLINE_SLOW=1`.
fn memories_each() -> usize {
    if slow() { 50 } else { 10 }
}

#[test]
fn sixteen_writers_at_once_lose_nothing() {
    let home = Home::live();
    let each = memories_each();
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let commands: Vec<_> = (0..each)
                .map(|n| {
                    let mut command = home.command();
                    command.args(["--json", "remember", &format!("Writer {writer} says {n}")]);
                    command
                })
                .collect();
            scope.spawn(move || {
                for mut command in commands {
                    let done = command.output().expect("the program starts");
                    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
                }
            });
        }
    });
    assert_eq!(home.json(&["list", "--limit", "1"])["total"], WRITERS * each);
    home.assert_sound();
}

/// What hooks tell at the same time, each its own.
fn decided(hook: usize, round: usize) -> String {
    let plan = hook * 100 + round;
    format!(
        "We decided that job number {plan} of the night uses plan {plan} because it is cheaper."
    )
}

/// A row that a server is asked to remember.
fn frozen(server: usize, write: usize) -> String {
    format!("Row {write} of the table that server {server} keeps is frozen")
}

#[test]
fn sixteen_hooks_and_two_servers_that_write_at_once_lose_nothing() {
    const HOOKS: usize = 16;
    const SERVERS: usize = 2;
    const ROUNDS: usize = 2;
    const WRITES: usize = 8;
    let home = Home::live();
    let hooks: Vec<Vec<_>> = (0..HOOKS)
        .map(|hook| {
            // Half of them share a session with others.
            let session = if hook.is_multiple_of(2) { hook % 8 } else { hook + 100 };
            let agent = Agent::new(&home, &format!("session {session}"));
            let told = |round| json!({"prompt": decided(hook, round)});
            let payload = |round| agent.payload("UserPromptSubmit", &told(round));
            (0..ROUNDS).map(|round| (home.command(), payload(round))).collect()
        })
        .collect();
    let servers: Vec<Client> = (0..SERVERS).map(|_| home.mcp()).collect();
    let go = std::sync::Barrier::new(HOOKS + SERVERS);
    std::thread::scope(|scope| {
        let go = &go;
        for (hook, calls) in hooks.into_iter().enumerate() {
            // Some have no time for more than to write down what they were told.
            let hurried = ("THROUGHLINE_DEADLINE_MS", "1");
            let env = [if hook.is_multiple_of(5) { hurried } else { PATIENT }];
            scope.spawn(move || {
                go.wait();
                for (command, payload) in calls {
                    let run = call(command, "UserPromptSubmit", payload.as_bytes(), &env);
                    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "hook {hook}");
                }
            });
        }
        for (server, mut client) in servers.into_iter().enumerate() {
            scope.spawn(move || {
                go.wait();
                for write in 0..WRITES {
                    client.call("remember", json!({"content": frozen(server, write)}));
                }
                client.leave();
            });
        }
    });
    let held = home.page(&["export"]) + &journaled(&home).join("\n");
    let told = (0..HOOKS).flat_map(|hook| (0..ROUNDS).map(move |round| decided(hook, round)));
    let written = (0..SERVERS).flat_map(|one| (0..WRITES).map(move |write| frozen(one, write)));
    let lost: Vec<String> = told.chain(written).filter(|text| !held.contains(text)).collect();
    assert_eq!(lost, Vec::<String>::new());
    assert_eq!(home.json(&["status"])["lost_turns"], 0);
    assert_sound(&home);
}

#[test]
fn hooks_that_ask_in_a_crowd_of_writers_are_answered_and_nothing_is_lost() {
    const HOOKS: usize = 16;
    const SERVERS: usize = 2;
    const WRITES: usize = 8;
    let home = Home::live();
    home.remember("The staging database runs on Postgres 14");
    let asks = "Which version of Postgres does the staging database run on?";
    let hooks: Vec<_> = (0..HOOKS)
        .map(|hook| {
            let agent = Agent::new(&home, &format!("session {hook}"));
            let prompt = format!("{asks} {}", decided(hook, 0));
            (home.command(), agent.payload("UserPromptSubmit", &json!({ "prompt": prompt })))
        })
        .collect();
    let servers: Vec<Client> = (0..SERVERS).map(|_| home.mcp()).collect();
    let go = std::sync::Barrier::new(HOOKS + SERVERS);
    let answered = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (go, answered) = (&go, &answered);
        for (command, payload) in hooks {
            scope.spawn(move || {
                go.wait();
                // Time enough for a busy machine: what is shown is that nobody waits for a turn to write.
                let run = call(command, "UserPromptSubmit", payload.as_bytes(), &[PATIENT]);
                let heard = told("UserPromptSubmit", &run).contains("Postgres 14");
                answered.fetch_add(usize::from(heard), std::sync::atomic::Ordering::Relaxed);
            });
        }
        for (server, mut client) in servers.into_iter().enumerate() {
            scope.spawn(move || {
                go.wait();
                for write in 0..WRITES {
                    client.call("remember", json!({"content": frozen(server, write)}));
                }
                client.leave();
            });
        }
    });
    let answered = answered.into_inner();
    assert!(answered * 4 >= HOOKS * 3, "{answered} of {HOOKS} were told what is known");
    let held = home.page(&["export"]) + &journaled(&home).join("\n");
    let told = (0..HOOKS).map(|hook| decided(hook, 0));
    let written = (0..SERVERS).flat_map(|one| (0..WRITES).map(move |write| frozen(one, write)));
    let lost: Vec<String> = told.chain(written).filter(|text| !held.contains(text)).collect();
    assert_eq!(lost, Vec::<String>::new());
    assert_eq!(home.json(&["status"])["lost_turns"], 0);
}

#[test]
fn the_same_text_from_many_processes_is_one_memory() {
    let home = Home::live();
    let children: Vec<Child> = (0..8)
        .map(|_| {
            let mut command = home.command();
            command.args(["--json", "remember", "Everybody says this", "--tag", "chorus"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut ids = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        ids.push(id_of(&answer["memory"]));
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "everybody is told the same id");
    assert_eq!(home.json(&["list", "--all"])["total"], 1);
    assert_eq!(home.show(&ids[0])["tags"], serde_json::json!(["chorus"]));
    home.assert_sound();
}

#[test]
fn readers_beside_writers_always_get_an_answer() {
    let home = Home::live();
    home.remember("The first of many");
    std::thread::scope(|scope| {
        for reader in 0..4 {
            let commands: Vec<_> = (0..10)
                .map(|n| {
                    let (mut read, mut write) = (home.command(), home.command());
                    read.args(["--json", "search", "first of many"]);
                    write.args(["remember", &format!("Between reads {reader} {n}")]);
                    (read, write)
                })
                .collect();
            scope.spawn(move || {
                for (mut read, mut write) in commands {
                    assert!(write.output().expect("the program starts").status.success());
                    let found = read.output().expect("the program starts");
                    assert!(String::from_utf8_lossy(&found.stdout).contains("The first of many"));
                }
            });
        }
    });
    assert_eq!(home.json(&["list", "--limit", "1"])["total"], 41);
}

/// How often the writers are killed: a few times in everyday runs, many when the long versions are
/// asked for.
fn kills() -> u32 {
    if slow() { 120 } else { 12 }
}

/// Where a writer's answers go.
#[cfg(unix)]
fn answers_of(home: &Home, cycle: u32, writer: u32) -> std::path::PathBuf {
    home.outside(&format!("answers-{cycle}-{writer}"))
}

/// Starts a process group that remembers without end and writes down every acknowledged answer.
#[cfg(unix)]
fn endless_writer(home: &Home, cycle: u32, writer: u32, what: &str) -> Child {
    use std::os::unix::process::CommandExt as _;
    // A file of its own: only its last line can be torn by a kill.
    let answers =
        std::fs::File::create(answers_of(home, cycle, writer)).expect("a file can be made");
    let script = format!("n=0; while :; do n=$((n+1)); \"$@\" --json remember {what}; done");
    let program = home.command();
    clean(std::process::Command::new("bash"))
        .args(["-c", &script, "writer"])
        .arg(program.get_program())
        .args(program.get_args())
        .env("WHO", format!("{cycle}.{writer}"))
        .stdin(Stdio::null())
        .stdout(answers)
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("bash starts")
}

/// Lets four of them write for a moment, and kills them all.
#[cfg(unix)]
fn write_and_kill(home: &Home, cycle: u32, what: &str) {
    // A machine that is busy with other things takes longer for everything.
    let began = std::time::Instant::now();
    home.json(&["list"]);
    let a_command = began.elapsed();
    let mut writers: Vec<Child> =
        (0..4).map(|writer| endless_writer(home, cycle, writer, what)).collect();
    // The moment of the kill is the point of the test: a different one in each cycle.
    let later = std::time::Duration::from_millis(u64::from(cycle * 37 % 160));
    std::thread::sleep(2 * a_command + later);
    for writer in &writers {
        let group = format!("-{}", writer.id());
        let kill = std::process::Command::new("kill").args(["-9", "--", &group]).status();
        assert!(kill.is_ok_and(|done| done.success()), "the writers can be killed");
    }
    for writer in &mut writers {
        let mut complaints = String::new();
        let mut told = writer.stderr.take().expect("standard error is piped");
        told.read_to_string(&mut complaints).expect("the program prints UTF-8");
        writer.wait().expect("a killed process ends");
        assert!(!complaints.contains("panicked"), "{complaints}");
    }
}

#[cfg(unix)]
#[test]
fn a_single_valued_slot_never_has_no_value_or_two_unsaid_after_kill_nine_at_any_moment() {
    let home = Home::live();
    let what = "\"Counter is $WHO $n\" --slot \"counter|is|$WHO $n|one\"";
    home.remember_with(&["Counter is zero", "--slot", "counter|is|zero|one"]);
    for cycle in 0..kills() / 2 {
        write_and_kill(&home, cycle, what);
        let held = home.json(&["list"]);
        let values = held["items"].as_array().unwrap();
        let contested = |one: &serde_json::Value| strings(&one["flags"]).contains(&"contested");
        assert!(!values.is_empty(), "never without a value");
        assert!(values.len() == 1 || values.iter().all(contested), "never two unsaid: {held}");
    }
    assert!(home.json(&["list", "--all"])["total"].as_u64().unwrap() > u64::from(kills()) / 2);
    home.assert_sound();
}

#[cfg(unix)]
#[test]
fn what_was_acknowledged_survives_kill_nine_at_any_moment() {
    let home = Home::live();
    home.remember("Before the first kill");
    for cycle in 0..kills() {
        write_and_kill(&home, cycle, "\"Writer $WHO says $n\"");
        assert_eq!(home.json(&["doctor"])["ok"], true, "cycle {cycle}");
    }
    let held = home.everything();
    let held: std::collections::BTreeSet<String> =
        held["items"].as_array().unwrap().iter().map(id_of).collect();
    let mut acknowledged = 0;
    for (cycle, writer) in (0..kills()).flat_map(|cycle| (0..4).map(move |n| (cycle, n))) {
        let answers = std::fs::read_to_string(answers_of(&home, cycle, writer)).unwrap();
        for line in answers.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let answer: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(held.contains(&id_of(&answer["memory"])), "acknowledged and lost: {line}");
            acknowledged += 1;
        }
    }
    assert!(acknowledged >= kills() / 2, "only {acknowledged} answers in {} cycles", kills());
    home.assert_sound();
    home.remember("After the last kill");
}

#[test]
fn the_same_home_and_clock_give_the_same_bytes() {
    let home = Home::new();
    for n in 0..12 {
        home.remember(&format!("Deploy step {n} is done by hand"));
    }
    for args in [&["search", "deploy hand"][..], &["recall", "deploy hand"], &["list"], &["graph"]]
    {
        let answer = || {
            let mut command = home.command();
            command.env("THROUGHLINE_NOW", "2026-04-01T00:00:00Z").arg("--json").args(args);
            command.output().unwrap().stdout
        };
        let first = answer();
        assert!(first.len() > 100, "{args:?}");
        assert!((0..4).all(|_| answer() == first), "{args:?}");
    }
}

/// Runs all commands at once and returns their answers.
fn at_once(commands: Vec<std::process::Command>) -> Vec<serde_json::Value> {
    let start = |mut command: std::process::Command| {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    };
    let children: Vec<Child> = commands.into_iter().map(start).collect();
    let answer = |child: Child| {
        let output = child.wait_with_output().expect("the program ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("the answer is one JSON document")
    };
    children.into_iter().map(answer).collect()
}

#[test]
fn processes_that_write_in_the_same_millisecond_never_get_the_same_id() {
    let home = Home::live();
    let mut ids = std::collections::BTreeSet::new();
    for round in 0..25 {
        let command = |writer| {
            let mut command = home.command();
            command.env("THROUGHLINE_NOW", "2026-03-02T09:00:00Z");
            let text = format!("Writer {writer} says {round}");
            command.args(["--json", "remember", &text, "--tag", &format!("tag {writer}.{round}")]);
            command
        };
        ids.extend(at_once((0..8).map(command).collect()).iter().map(|one| id_of(&one["memory"])));
    }
    assert_eq!(ids.len(), 200);
    assert_eq!(home.json(&["list", "--limit", "1"])["total"], 200);
    home.assert_sound();
}

#[test]
fn when_many_state_a_single_value_at_once_exactly_one_holds_and_the_others_are_replaced() {
    for round in 0..if slow() { 20 } else { 4 } {
        let home = Home::live();
        let command = |n| {
            let mut command = home.command();
            let (text, slot) = (format!("The port is 80{n}"), format!("server|port|80{n}|one"));
            command.args(["--json", "remember", &text, "--slot", &slot]);
            command
        };
        at_once((0..8).map(command).collect());
        let held = home.json(&["list"]);
        assert_eq!(held["total"], 1, "round {round}: {held}");
        assert_eq!(strings(&held["items"][0]["flags"]), Vec::<&str>::new());
        assert_eq!(home.json(&["list", "--state", "superseded"])["total"], 7, "round {round}");
        home.assert_sound();
    }
}
