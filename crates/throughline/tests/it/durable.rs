//! Nothing is lost in silence: what agents tell late or at length, disks that are full or only for
//! reading, rows that rot, copies that are made without being asked for.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Home, Missing, Run, overwrite, skipped, strings};
use crate::hook_trouble::{files_of, journaled, prompt};
use crate::hooking::{Agent, DECISION, assert_sound, diagnosis, told};
use crate::models_trouble::until;

/// Lines of code, as somebody pastes them.
fn code(bytes: usize) -> String {
    let mut text = format!("{DECISION}\n");
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!(
            "    let value_{n} = config.get(\"key_{n}\").unwrap_or_default(); // {n:x}\n"
        ));
    }
    text
}

/// No time for an answer, as on a machine that is busy.
const HURRY: (&str, &str) = ("THROUGHLINE_DEADLINE_MS", "1");

#[test]
fn a_prompt_of_four_megabytes_is_written_down() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.call("UserPromptSubmit", &prompt(&code(4 << 20)), &[HURRY]);
    let kept = journaled(&home);
    assert_eq!(kept.len(), 1);
    assert!(kept[0].starts_with(DECISION) && kept[0].len() <= 1 << 20, "{}", kept[0].len());
}

#[test]
fn twenty_of_twenty_prompts_of_one_to_four_megabytes_are_written_down() {
    let home = Home::new();
    let pasted = code(4 << 20);
    let beginning = |n: usize| format!("Prompt number {n} of twenty. {DECISION}");
    for n in 0..20 {
        let size = (1 << 20) + n * (3 << 20) / 19;
        let agent = Agent::new(&home, &format!("session {n}"));
        let text = format!("{} {}", beginning(n), &pasted[..size.min(pasted.len())]);
        let run = agent.call("UserPromptSubmit", &prompt(&text), &[HURRY]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{n}");
    }
    // Each session has a file of its own. What is longer than a megabyte is cut there.
    let files = files_of(&home, "journal", "jsonl");
    let kept: Vec<String> =
        files.iter().map(|file| std::fs::read_to_string(file).expect("it is a text")).collect();
    for n in 0..20 {
        let whole = |text: &&String| text.contains(&beginning(n)) && text.len() > 1 << 20;
        assert_eq!(kept.iter().filter(whole).count(), 1, "prompt {n}");
    }
    assert_eq!(kept.len(), 20);
    assert_eq!(home.json(&["status"])["lost_turns"], 0);
}

#[test]
fn what_is_told_is_written_down_even_if_there_is_no_time_to_answer() {
    let home = Home::new();
    home.remember("The staging database runs on Postgres 14.");
    let agent = Agent::new(&home, "march");
    let run =
        agent.call("UserPromptSubmit", &prompt(DECISION), &[("THROUGHLINE_DEADLINE_MS", "1")]);
    told("UserPromptSubmit", &run);
    assert_eq!(journaled(&home), [DECISION]);
    assert_eq!(home.json(&["status"])["lost_turns"], 0, "nothing is lost by that");
}

#[test]
fn a_memory_of_an_older_version_is_migrated_although_no_hook_has_time_for_it() {
    let home = Home::new();
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/../throughline-store/tests/databases/v2.db");
    std::fs::create_dir_all(home.path()).expect("a folder");
    std::fs::copy(old, home.database()).expect("the file is in the repository");
    assert!(throughline_engine::is_older(&home.path()));
    let agent = Agent::new(&home, "march");
    agent.call("SessionStart", &json!({"source": "startup"}), &[HURRY]);
    until("the migration", || !throughline_engine::is_older(&home.path()));
    assert_eq!(home.json(&["status"])["lost_turns"], 0);
}

#[test]
fn what_is_told_a_second_late_is_written_down() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let payload = agent.payload("UserPromptSubmit", &prompt(DECISION));
    let mut command = home.command();
    command.args(["hook", "UserPromptSubmit"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("its input is ours");
    std::thread::sleep(Duration::from_secs(1));
    input.write_all(payload.as_bytes()).expect("the hook listens");
    drop(input);
    let run: Run = child.wait_with_output().expect("the program ends").into();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(journaled(&home), [DECISION]);
}

#[test]
fn what_an_agent_does_not_finish_telling_is_said_to_be_lost() {
    let home = Home::new();
    let mut command = home.command();
    command.args(["hook", "UserPromptSubmit"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut input = child.stdin.take().expect("its input is ours");
    input.write_all(b"{\"prompt\": \"We deci").expect("the hook listens");
    // Held open until the hook has ended by itself.
    let status = child.wait().expect("the program ends");
    drop(input);
    assert!(status.success());
    assert!(diagnosis(&home, "lost")[0].contains("not finished sending"));
    assert_eq!(home.json(&["status"])["lost_turns"], 1);
}

#[test]
fn a_secret_across_the_cut_of_a_long_text_is_not_kept_in_part() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    let secret = ["ghp", "_", &"a1B2c3D4e5F6".repeat(3)].concat();
    // Where a text is cut when it is kept, and where it is cut before that.
    for cut in [1 << 20, (1 << 20) + (64 << 10)] {
        let mut text = "word ".repeat(cut / 5 - 3);
        text.truncate(cut - 15);
        text.push_str(&format!(" {secret} "));
        text.push_str(&"more ".repeat(200));
        agent.call("UserPromptSubmit", &prompt(&text), &[]);
    }
    assert_eq!(journaled(&home).len(), 2);
    assert_eq!(home.files_holding(&secret[..9]), Vec::<PathBuf>::new());
}

/// A small disk in the place of the home, for as long as this lives.
struct Disk(PathBuf);

impl Disk {
    /// `None`, and a word about it, where this user may not mount anything.
    fn under(home: &Home, size: &str) -> Option<Self> {
        std::fs::create_dir(home.path()).expect("a folder can be made");
        let options = format!("size={size},mode=0700");
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(home.path())
            .output();
        if mount.is_ok_and(|done| done.status.success()) {
            return Some(Self(home.path()));
        }
        skipped(&Missing::Right("mounting a small disk needs rights that this user does not have"));
        None
    }

    fn only_for_reading(&self) {
        let done = Command::new("mount").args(["-o", "remount,ro"]).arg(&self.0).status();
        assert!(done.expect("mount runs").success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg("-l").arg(&self.0).status().ok();
    }
}

const QUESTION: &str = "Which version of Postgres does the staging database run on?";

#[test]
fn a_home_that_can_only_be_read_still_answers_and_says_why_it_keeps_nothing() {
    let home = Home::new();
    let Some(disk) = Disk::under(&home, "16m") else { return };
    home.remember("The staging database runs on Postgres 14.");
    Agent::new(&home, "february").starts();
    home.remember("The latest fact is only in the write-ahead log.");
    let agent = Agent::new(&home, "march");
    disk.only_for_reading();
    let run = agent.call("UserPromptSubmit", &prompt(QUESTION), &[]);
    assert!(told("UserPromptSubmit", &run).contains("Postgres 14"), "{}", run.stdout);
    assert_eq!(home.texts(&["list"]).len(), 2, "also what is in the write-ahead log");
    let (code, error) = home.error(&["remember", "Something new"]);
    assert_eq!((code, error["code"].as_str()), (1, Some("not_writable")), "{error}");
    assert!(error["hint"].is_string(), "{error}");
    let told = diagnosis(&home, "disk");
    assert!(told[0].contains("nothing can be written"), "{told:?}");
    assert_eq!(home.run(&["doctor"]).code, 1, "and it is said to be wrong");
    assert!(diagnosis(&home, "database")[0].contains("only for reading"));
    for page in [home.run(&["doctor"]).stdout, home.run(&["remember", "Something new"]).stderr] {
        assert!(!page.contains("`restore"), "nothing is damaged: {page}");
    }
    assert!(home.page(&["status"]).contains("nothing can be written"));
    assert!(home.json(&["status"])["unwritable"].is_string());
}

#[test]
fn a_turn_that_a_full_disk_did_not_take_is_said_to_be_lost_and_recall_goes_on() {
    let home = Home::new();
    let Some(_disk) = Disk::under(&home, "2m") else { return };
    home.remember("The staging database runs on Postgres 14.");
    Agent::new(&home, "february").starts();
    let agent = Agent::new(&home, "march");
    let ballast = home.path().join("ballast");
    let mut file = std::fs::File::create(&ballast).unwrap();
    for size in [64 << 10, 4 << 10, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
    drop(file);
    let run = agent.call("UserPromptSubmit", &prompt(QUESTION), &[]);
    assert!(told("UserPromptSubmit", &run).contains("Postgres 14"), "{}", run.stdout);
    assert_eq!(journaled(&home), Vec::<String>::new(), "there was no room for it");
    assert!(
        diagnosis(&home, "lost")[0].contains("1 turn is lost"),
        "{:?}",
        diagnosis(&home, "lost")
    );
    assert!(!diagnosis(&home, "disk").is_empty());
    let (_, error) = home.error(&["remember", "Something new"]);
    assert_eq!(error["code"], "disk_full", "{error}");
    std::fs::remove_file(ballast).unwrap();
    agent.call("UserPromptSubmit", &prompt(DECISION), &[]);
    assert_eq!(journaled(&home), [DECISION]);
    assert_eq!(home.json(&["status"])["lost_turns"], 1, "it is still said");
}

#[test]
fn a_session_that_begins_on_a_full_disk_is_no_lost_turn() {
    let home = Home::new();
    let Some(_disk) = Disk::under(&home, "2m") else { return };
    home.remember("The staging database runs on Postgres 14.");
    Agent::new(&home, "february").starts();
    let mut file = std::fs::File::create(home.path().join("ballast")).unwrap();
    for size in [64 << 10, 4 << 10, 1] {
        while file.write_all(&vec![0; size]).is_ok() {}
    }
    let agent = Agent::new(&home, "march");
    agent.call("SessionStart", &json!({"source": "startup"}), &[]);
    assert_eq!(home.json(&["status"])["lost_turns"], 0, "nothing was said in it");
    agent.call("UserPromptSubmit", &prompt(QUESTION), &[]);
    assert_eq!(home.json(&["status"])["lost_turns"], 1);
}

/// Where the row of one memory stands in a database that is all in one file. Its log is elsewhere.
pub(crate) fn rows_in_file(home: &Home, id: &str) -> Vec<usize> {
    let copy = home.arg("whole.db");
    home.json(&["backup", &copy]);
    home.json(&["restore", &copy]);
    let bytes = std::fs::read(home.database()).expect("the file can be read");
    let (body, logged) = (format!("{{\"id\":\"{id}\""), b"{\"insert\":");
    let places = bytes.windows(body.len()).enumerate();
    let rows =
        places.filter(|(at, part)| *part == body.as_bytes() && !bytes[..*at].ends_with(logged));
    let rows: Vec<usize> = rows.map(|(at, _)| at).collect();
    assert!(!rows.is_empty(), "the row is in the file");
    rows
}

/// Lets the row of one memory rot. Its log stays whole.
fn let_rot(home: &Home, id: &str) {
    let rows = rows_in_file(home, id);
    let bytes = std::fs::read(home.database()).expect("the file can be read");
    let word = b"\"content\":\"";
    for row in rows {
        let text = bytes[row..].windows(word.len()).position(|part| part == word);
        overwrite(&home.database(), row + text.expect("it has a text") + word.len(), b"#");
    }
}

#[test]
fn one_rotten_row_takes_no_other_along_and_can_be_mended() {
    let home = Home::new();
    for n in 0..5 {
        home.remember(&format!("The sound service number {n} listens on port {n}"));
    }
    let id = home.remember("Rotten is the service on port 99");
    let before = home.everything();
    let_rot(&home, &id);
    let found = home.json(&["list", "--all"]);
    assert_eq!(found["items"].as_array().map(Vec::len), Some(5), "{found}");
    let damaged = found["damaged"][0]["row"].as_str().expect("it is named").to_owned();
    assert!(damaged.contains("memory") && damaged.contains(&id), "{damaged}");
    let run = home.run(&["list"]);
    assert!(run.code == 0 && run.stderr.contains(&id), "{}", run.stderr);
    let run = home.run(&["recall", "Which port has the sound service number 3?"]);
    assert!(run.code == 0 && run.stdout.contains("number 3"), "{}", run.stdout);
    assert_eq!(home.run(&["export"]).stdout.lines().count(), 7);
    let agent = Agent::new(&home, "march");
    let run = agent.call("UserPromptSubmit", &prompt("Which port has the sound service 3?"), &[]);
    assert!(told("UserPromptSubmit", &run).contains("number 3"), "{}", run.stdout);
    home.json(&["remember", "Something new beside the rotten row"]);
    let copy = home.run(&["--json", "backup", &home.arg("rotten.db")]);
    let copy: Value = serde_json::from_str(&copy.stdout).expect("one JSON document");
    assert!(strings(&copy["damaged"])[0].contains(&id), "{copy}");
    let checked = home.run(&["--json", "doctor"]);
    assert!(checked.stdout.contains("doctor --mend"), "{}", checked.stdout);
    let mended = home.json(&["doctor", "--mend", "--rebuild-check"]);
    assert_eq!(mended["ok"], true, "{mended}");
    assert_eq!(home.json(&["list", "--all"])["total"], 7);
    assert_eq!(home.show(&id)["content"], "Rotten is the service on port 99");
    assert_eq!(before["total"], 6);
    assert_sound(&home);
}

#[test]
fn of_what_was_there_before_a_mending_only_the_last_is_kept() {
    let home = Home::new();
    home.remember("The billing service listens on port 8443");
    let kept = || {
        let names = files_of(&home, "backups", "db").into_iter();
        let names = names.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
        names.filter(|name| name.starts_with("before-mending")).collect::<Vec<_>>()
    };
    for _ in 0..3 {
        home.json(&["doctor", "--mend"]);
        assert_eq!(kept().len(), 1, "{:?}", kept());
    }
    assert_eq!(home.json(&["list"])["total"], 1);
    assert_sound(&home);
}

#[test]
fn what_a_session_had_in_mind_and_cannot_be_read_is_kept_aside_and_reported() {
    let home = Home::new();
    let agent = Agent::new(&home, "march");
    agent.hears("Where is the total computed?");
    agent.answers("In the cart.");
    let mind = files_of(&home, "hot", "json").pop().expect("there is a mind");
    let text = std::fs::read_to_string(&mind).unwrap();
    for damaged in [text[..text.len() / 2].to_owned(), text.replace("\"heard\":[", "\"heard\":[7,")]
    {
        std::fs::write(&mind, &damaged).unwrap();
        agent.call("UserPromptSubmit", &prompt("And where is it shown?"), &[]);
        let aside = std::fs::read_to_string(mind.with_extension("damaged")).unwrap();
        assert_eq!(aside, damaged);
        assert!(diagnosis(&home, "session")[0].contains("set aside"));
    }
}

#[test]
fn fields_of_another_version_stay_through_import_change_and_export() {
    let home = Home::new();
    let one = home.remember("The billing service listens on port 8443");
    let other = home.remember("The billing service is written in Go");
    home.json(&["link", &one, "relates_to", &other]);
    let mut lines: Vec<Value> = home
        .page(&["export"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    for batch in lines.iter_mut().skip(1) {
        batch["mood"] = json!("calm");
        for change in batch["changes"].as_array_mut().expect("a batch has changes") {
            for row in change.as_object_mut().into_iter().flatten().map(|(_, row)| row) {
                if row.get("content").is_some() {
                    row["colour"] = json!({"shade": [1, 2.5, null]});
                }
                if row.get("relation").is_some() {
                    row["colour"] = json!("green");
                    row.as_object_mut().expect("a row is an object").remove("confidence");
                }
            }
        }
    }
    let file = home.arg("other.jsonl");
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&file, text.join("\n")).unwrap();
    home.wipe();
    home.json(&["import", &file]);
    home.json(&["tag", &one, "infra"]);
    home.json(&["edit", &one, "The billing service listens on port 9443"]);
    let told = home.page(&["export"]);
    assert!(told.contains("\"mood\":\"calm\"") && told.contains("\"colour\":\"green\""), "{told}");
    let kept = told.lines().last().expect("the edit is the last batch");
    assert!(kept.contains("\"colour\":{\"shade\":[1,2.5,null]}"), "{kept}");
    assert!(told.contains("\"confidence\":1.0"), "nothing said of it is no doubt");
    home.assert_sound();
    home.json(&["purge", &one, "--yes"]);
    assert!(!home.page(&["export"]).contains("9443"));
    home.assert_sound();
}

/// The automatic copies in a home, by name.
fn automatic(home: &Home) -> Vec<String> {
    let files = files_of(home, "backups", "db");
    let names = files
        .iter()
        .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("auto-")).collect();
    names.sort();
    names
}

#[test]
fn a_copy_is_made_every_day_with_changes_and_a_few_are_kept() {
    let home = Home::new();
    home.remember("Quixotic zebra");
    assert_eq!(automatic(&home), Vec::<String>::new(), "nothing is a day old yet");
    let days = ["2026-03-03", "2026-03-04", "2026-03-05", "2026-03-12", "2026-03-19", "2026-03-26"];
    for (day, name) in days.into_iter().zip(["ibis", "heron", "stork", "crane", "egret", "finch"]) {
        home.travel(day);
        home.remember(&format!("The {name} was seen first"));
        home.remember(&format!("Some {name} was seen later"));
    }
    let expected = ["2026-03-05", "2026-03-12", "2026-03-19", "2026-03-26"];
    let kept = automatic(&home);
    assert!(expected.iter().all(|day| kept.contains(&format!("auto-{day}.1.db"))), "{kept:?}");
    assert_eq!(kept.len(), 5, "{kept:?}");
    home.travel("2026-03-27");
    home.page(&["list"]);
    assert_eq!(automatic(&home), kept, "reading changes nothing");
    let listed = home.json(&["restore"]);
    assert_eq!(listed["backups"][0]["day"], "2026-03-26", "{listed}");
    assert_eq!(home.json(&["status"])["last_backup"], "2026-03-26");
    assert!(diagnosis(&home, "database")[0].contains("the last of 2026-03-26"));
    home.json(&["restore", "--latest"]);
    assert_eq!(home.texts(&["search", "later"]).len(), 5, "all but the last one");
    home.assert_sound();
}

#[test]
fn what_is_erased_is_erased_from_automatic_copies_and_they_can_be_switched_off() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "march");
    agent.hears(DECISION);
    agent.ends();
    assert_eq!(automatic(&home).len(), 1, "the end of a session makes one");
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(home.files_holding("zebra"), Vec::<PathBuf>::new());
    home.json(&["config", "set", "backup.keep", "0"]);
    home.travel("2026-03-04");
    home.remember("Said on another day");
    assert_eq!(automatic(&home).len(), 1);
    let copy = home.json(&["backup"]);
    let copy = copy["file"].as_str().expect("it says where");
    assert!(Path::new(copy).starts_with(home.path().join("backups")), "asked for, it is made");
}

#[test]
fn a_damaged_memory_never_takes_the_place_of_a_sound_copy() {
    let home = Home::new();
    let id = home.remember("Quixotic zebra");
    home.travel("2026-03-03");
    home.remember("Said on another day");
    let kept = automatic(&home);
    let_rot(&home, &id);
    home.travel("2026-03-04");
    home.run(&["remember", "Said on a third day"]);
    assert_eq!(automatic(&home), kept);
    assert_eq!(home.run(&["backup"]).code, 1);
    assert_eq!(automatic(&home), kept);
}
