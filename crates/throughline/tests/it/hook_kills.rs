//! Hooks on a machine in trouble: places that cannot be written, and processes that are killed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::{Home, bare, slow};
use crate::hook_trouble::{files_of, journaled, prompt};
use crate::hooking::{Agent, DECISION, PATIENT, assert_sound, call, diagnosis, rows, told};

#[test]
fn a_home_that_is_a_file_stops_nobody() {
    let home = Home::new();
    std::fs::write(home.path(), "plain").unwrap();
    let agent = Agent::new(&home, "march");
    for event in ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"] {
        assert_eq!(told(event, &agent.call(event, &prompt(DECISION), &[])), "");
    }
    assert_eq!(std::fs::read_to_string(home.path()).unwrap(), "plain");
}

/// A small disk of its own, for as long as this lives.
#[cfg(target_os = "linux")]
struct Disk(PathBuf);

#[cfg(target_os = "linux")]
impl Disk {
    /// `None` where this user may not mount anything.
    fn mount(at: PathBuf) -> Option<Self> {
        std::fs::create_dir(&at).expect("a folder can be made");
        let options = ["-t", "tmpfs", "-o", "size=2m", "tmpfs"];
        let done = Command::new("mount").args(options).arg(&at).output();
        done.is_ok_and(|done| done.status.success()).then_some(Self(at))
    }

    fn remount(&self, how: &str) {
        let how = format!("remount,{how}");
        let done = Command::new("mount").args(["-o", &how]).arg(&self.0).status();
        assert!(done.is_ok_and(|done| done.success()), "what is mounted can be mounted again");
    }

    /// The program with its home on this disk.
    fn program(&self) -> Command {
        let mut command = bare();
        command.arg("--home").arg(self.0.join("home"));
        command
    }

    fn hooks(&self, agent: &Agent<'_>, words: &str) {
        let answer = json!({"last_assistant_message": format!("Yes: {words}")});
        for (event, fields) in [("UserPromptSubmit", prompt(words)), ("Stop", answer)] {
            let payload = agent.payload(event, &fields);
            told(event, &call(self.program(), event, payload.as_bytes(), &[PATIENT]));
        }
    }

    fn held(&self, project: &Path) -> String {
        let mut command = self.program();
        command.arg("--project").arg(project).args(["list", "--all", "--json"]);
        let held = command.output().expect("the program starts").stdout;
        String::from_utf8(held).expect("the program prints UTF-8")
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_or_cannot_be_written_stops_nobody_and_is_used_again_later() {
    let home = Home::new();
    let Some(disk) = Disk::mount(home.outside("disk")) else {
        crate::harness::skipped(&crate::harness::Missing::Right(
            "mounting a small disk needs rights that this user does not have",
        ));
        return;
    };
    let agent = Agent::new(&home, "march");
    disk.hooks(&agent, DECISION);
    disk.remount("ro");
    disk.hooks(&agent, "We decided to use zanzibar for queues because it lasts.");
    disk.remount("rw");
    let filler = disk.0.join("filler");
    let mut file = std::fs::File::create(&filler).unwrap();
    while file.write_all(&[0; 4_096]).is_ok() {}
    drop(file);
    disk.hooks(&agent, "We decided to use narwhal for mail because it swims.");
    std::fs::remove_file(&filler).unwrap();
    disk.hooks(&agent, "We decided to use Kafka for events because it keeps them.");
    let held = disk.held(&home.project());
    for words in ["Redis lost them twice", "Kafka for events"] {
        assert!(held.contains(words), "{words}: {held}");
    }
    let mut doctor = disk.program();
    doctor.arg("--project").arg(home.project()).args(["doctor", "--rebuild-check"]);
    assert!(doctor.output().unwrap().status.success());
}

/// How often a hook is killed.
fn kills() -> u32 {
    if slow() { 100 } else { 12 }
}

/// Starts a hook with everything it is told.
fn start(agent: &Agent<'_>, event: &str, fields: &Value) -> Child {
    let mut command = agent.home.command();
    command.args(["hook", event]).env(PATIENT.0, PATIENT.1);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("its input is ours");
    input.write_all(agent.payload(event, fields).as_bytes()).expect("a pipe takes a payload");
    child
}

#[test]
fn what_a_hook_has_heard_survives_kill_nine_at_any_moment() {
    let home = Home::new();
    let begun = Instant::now();
    Agent::new(&home, "s0").hears("Where is the total computed?");
    let length = begun.elapsed();
    let mut heard = Vec::new();
    for cycle in 0..kills() {
        let agent = Agent::new(&home, &format!("s{}", cycle % 3));
        let words = format!("We decided that step {cycle} takes {cycle} minutes of the build.");
        let mut child = start(&agent, "UserPromptSubmit", &prompt(&words));
        std::thread::sleep(length * (cycle % 12 + 1) / 12);
        child.kill().expect("a process can be killed");
        if child.wait().expect("a killed process ends").success() {
            heard.push(words);
        }
        if cycle % 3 == 2 {
            let mut child = start(&agent, "Stop", &json!({"last_assistant_message": "Yes."}));
            std::thread::sleep(length * (cycle % 7 + 1) / 7);
            child.kill().expect("a process can be killed");
            child.wait().expect("a killed process ends");
        }
    }
    let said = journaled(&home);
    assert!(heard.iter().all(|words| said.contains(words)), "{heard:?}\n{said:?}");
    // Every session goes on once more, and one more begins and ends.
    for session in ["s0", "s1", "s2", "last"] {
        let agent = Agent::new(&home, session);
        told("SessionStart", &agent.call("SessionStart", &json!({}), &[]));
        told("SessionEnd", &agent.call("SessionEnd", &json!({}), &[]));
    }
    let waiting = |one: &String| one.contains("not taken in yet");
    assert!(!diagnosis(&home, "journal").iter().any(waiting));
    let log = home.page(&["export"]);
    for words in &said {
        let recorded = format!("\"text\":\"{words}\"");
        assert_eq!(log.matches(&recorded).count(), 1, "{words}");
    }
    assert_sound(&home);
}

#[test]
fn a_hook_that_is_cut_off_right_after_it_wrote_loses_nothing_that_was_only_in_mind() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("The staging database runs on Postgres 14.");
    agent.answers("I see.");
    for file in [files_of(&home, "hot", "json"), files_of(&home, "journal", "mark")].concat() {
        std::fs::remove_file(file).unwrap();
    }
    agent.ends();
    assert_eq!(home.texts(&["list"]).len(), 1);
    assert_eq!((rows(&home, "episode"), rows(&home, "evidence")), (2, 1));
}

#[test]
fn while_somebody_else_has_the_sessions_mind_nothing_is_taken_in_half() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.starts();
    let lock = files_of(&home, "hot", "lock").remove(0);
    let lock = std::fs::File::options().read(true).write(true).open(lock).unwrap();
    lock.lock().unwrap();
    agent.hears(DECISION);
    agent.answers("Postgres it is.");
    assert_eq!(rows(&home, "episode"), 0, "it waits in the journal");
    lock.unlock().unwrap();
    agent.ends();
    assert_eq!(rows(&home, "episode"), 2);
    assert!(home.texts(&["list"]).iter().any(|text| text.contains("sessions in Postgres")));
}
