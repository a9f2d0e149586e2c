//! Watching: facts hang on files, on paths in git and on named values. What moved is checked before
//! anybody builds on it; what did not move is as true as it was, however long ago that is.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Home, Run, id_of, slow, strings};
use crate::hooking::Agent;

/// A file whose lines 2 and 3 say how a kernel is tuned.
pub(crate) const KERNEL: &str = "fn kernel() {\n    let tile = 64;\n    run(tile);\n}\n";
const PLACE: &str = "src/kernel.rs";
const SPAN: &str = "file:src/kernel.rs#L2-L3";
const GAIN: &str = "The kernel benchmark gains +229 % on the large matrix";
const ASK: &str = "How much does the kernel benchmark gain on the large matrix?";

/// Writes a file of the project.
pub(crate) fn write(home: &Home, path: &str, text: &str) {
    let file = home.project().join(path);
    let folder = file.parent().expect("a file lies in a folder");
    std::fs::create_dir_all(folder).expect("a folder can be made");
    std::fs::write(file, text).expect("a file can be written");
}

/// Runs git in a folder, with nothing of this machine's settings.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let settings = [
        "user.name=Ana",
        "user.email=ana@example.org",
        "init.defaultBranch=main",
        "commit.gpgSign=false",
        "protocol.file.allow=always",
    ];
    let output = Command::new("git")
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .args(args)
        .current_dir(folder)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .output()
        .expect("git starts");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("git prints UTF-8").trim().to_owned()
}

/// Commits everything there is.
pub(crate) fn commit(home: &Home, message: &str) {
    git(&home.project(), &["add", "-A"]);
    git(&home.project(), &["commit", "-q", "-m", message]);
}

/// A repository with the kernel and its documentation in the first commit.
fn repository(home: &Home) {
    git(&home.project(), &["init", "-q"]);
    write(home, PLACE, KERNEL);
    write(home, "docs/kernel.md", "How the kernel is tuned.\n");
    commit(home, "first");
}

/// What a session is told when it begins.
pub(crate) fn brief(home: &Home, session: &str) -> String {
    Agent::new(home, session).starts()
}

/// Looks at everything again. Git may be late on a busy machine, and is asked again then.
pub(crate) fn look(home: &Home) -> Value {
    let late = |found: &Value| {
        let unknown = found["unknown"].as_array().expect("a list");
        unknown.iter().any(|one| {
            let now = one["now"].as_str().unwrap_or_default();
            now.contains("does not answer") || now.contains("time")
        })
    };
    let mut found = home.json(&["verify"]);
    for _ in 0..10 {
        if !late(&found) {
            break;
        }
        found = home.json(&["verify"]);
    }
    found
}

const DOUBTS: [&str; 3] = ["check before building on it", "unverified", "doubtful"];

/// Whether a page tells these words as something that is so.
pub(crate) fn asserts(page: &str, words: &str) -> bool {
    let told = page.lines().filter(|line| line.starts_with("- [") && line.contains(words));
    told.into_iter().any(|line| !DOUBTS.iter().any(|doubt| line.contains(doubt)))
}

/// Whether a page asks to check these words before building on them.
pub(crate) fn asks_to_check(page: &str, words: &str) -> bool {
    page.lines().any(|line| line.contains(words) && line.contains(DOUBTS[0]))
}

/// How many memories a page asks to check.
pub(crate) fn checks_in(page: &str) -> usize {
    page.lines().filter(|line| line.contains(DOUBTS[0])).count()
}

pub(crate) fn is_stale(home: &Home, id: &str) -> bool {
    strings(&home.show(id)["flags"]).contains(&"stale")
}

/// A memory that hangs on something, with the time to read before it is looked at again.
pub(crate) fn bound(home: &Home, text: &str, watch: &str) -> String {
    home.remember_with(&[text, "--watch", watch])
}

#[test]
fn a_benchmark_whose_file_changed_is_checked_and_not_asserted() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let slot = |gain: &str| format!("kernel benchmark|gains|{gain}|one");
    let measured = ["--authority", "measured", "--watch", SPAN, "--slot"];
    let old = home.remember_with(&[&[GAIN], &measured[..], &[&slot("+229 %")]].concat());
    assert!(asserts(&home.page(&["recall", ASK]), "+229 %"));
    assert!(asserts(&brief(&home, "march"), "+229 %"));

    home.travel("2026-03-16");
    write(&home, PLACE, &KERNEL.replace("64", "32"));
    let told = brief(&home, "later");
    assert!(asks_to_check(&told, "+229 %"), "{told}");
    assert!(
        told.contains("src/kernel.rs#L2-L3") && told.contains("it is now"),
        "then and now: {told}"
    );
    assert!(!asserts(&told, "+229 %"), "{told}");
    let page = home.page(&["recall", ASK]);
    assert!(asks_to_check(&page, "+229 %") && !asserts(&page, "+229 %"), "{page}");
    assert_eq!(home.show(&old)["trust"], 0.36, "0.9 measured × 0.4 moved");

    let again = "The kernel benchmark gains +41 % on the large matrix";
    let new = home.remember_with(&[&[again], &measured[..], &[&slot("+41 %")]].concat());
    assert_eq!(home.show(&old)["superseded_by"], new.as_str());
    let page = home.page(&["recall", ASK]);
    assert!(asserts(&page, "+41 %"), "{page}");
    assert!(!asks_to_check(&brief(&home, "afterwards"), "+229 %"));
    let history = home.page(&["history", &old]);
    assert!(history.contains("+229 %"), "{history}");
    assert!(home.texts(&["recall", ASK, "--include-superseded"]).contains(&GAIN.to_owned()));
    home.assert_sound();
}

#[test]
fn a_docs_only_commit_leaves_a_kernel_benchmark_alone() {
    let home = Home::new();
    repository(&home);
    let by_git = bound(&home, GAIN, "git:src");
    let by_span = bound(&home, "The tile of the kernel is 64 wide", SPAN);
    let before = [&by_git, &by_span].map(|id| home.json(&["why", id])["trust"].clone());
    let head = git(&home.project(), &["rev-parse", "HEAD"]);
    write(&home, "docs/kernel.md", "How the kernel is tuned, in other words.\n");
    commit(&home, "docs");
    assert_ne!(git(&home.project(), &["rev-parse", "HEAD"]), head);
    let found = look(&home);
    assert_eq!((&found["checked"], &found["unchanged"]), (&2.into(), &2.into()), "{found}");
    let after = [&by_git, &by_span].map(|id| home.json(&["why", id])["trust"].clone());
    assert_eq!(after, before);
    assert_eq!(home.json(&["verify", "--list"])["queue"], json!([]));
}

#[test]
fn a_commit_within_the_scope_is_noticed_and_one_taken_back_is_too() {
    let home = Home::new();
    repository(&home);
    let id = bound(&home, GAIN, "git:src");
    write(&home, PLACE, &KERNEL.replace("64", "32"));
    assert_eq!(look(&home)["unchanged"], 1, "what is not committed is no commit");
    commit(&home, "narrower");
    let found = look(&home);
    assert_eq!(found["moved"][0]["memory"], id.as_str(), "{found}");
    assert!(is_stale(&home, &id));
    assert!(asks_to_check(&home.page(&["recall", ASK]), "+229 %"));
    git(&home.project(), &["revert", "--no-edit", "HEAD"]);
    let found = look(&home);
    assert_eq!(found["unchanged"], 1, "the paths are what they were: {found}");
    assert!(!is_stale(&home, &id));
}

#[test]
fn two_weeks_and_two_years_of_silence_leave_trust_bit_for_bit_as_it_was() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let ids = [
        bound(&home, GAIN, SPAN),
        home.remember_with(&["The tile was found by trying", "--authority", "inferred"]),
        home.remember("The matrix has 4096 rows"),
    ];
    let trust = || ids.each_ref().map(|id| home.json(&["why", id])["trust"].to_string());
    let before = trust();
    for day in ["2026-03-16", "2028-03-02"] {
        home.travel(day);
        assert!(!asks_to_check(&brief(&home, day), "+229 %"));
        assert_eq!(look(&home)["unchanged"], 1);
        assert_eq!(trust(), before, "{day}");
        assert!(asserts(&home.page(&["recall", ASK]), "+229 %"), "{day}");
    }
    assert!(ids.iter().all(|id| home.show(id)["last_verified_at"].is_null()));
}

#[test]
fn a_thousand_reads_change_neither_trust_nor_when_it_was_checked() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let id = bound(&home, GAIN, SPAN);
    home.json(&["verify", &id, "--confirmed"]);
    write(&home, PLACE, &KERNEL.replace("64", "32"));
    look(&home);
    let known = || {
        let (memory, why) = (home.show(&id), home.json(&["why", &id]));
        [&memory["last_verified_at"], &memory["flags"], &why["trust"]].map(Value::to_string)
    };
    let before = known();
    assert!(before[0].contains("2026-03-02") && before[1].contains("stale"), "{before:?}");
    let days = ["2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06", "2026-03-07"];
    for day in if slow() { &days[..] } else { &days[..1] } {
        home.travel(day);
        for _ in 0..200 {
            let page = home.page(&["recall", ASK]);
            assert!(asks_to_check(&page, "+229 %"), "{page}");
        }
    }
    assert!(home.show(&id)["uses"].as_u64() > Some(1), "it was used");
    assert_eq!(known(), before);
    assert!(asks_to_check(&brief(&home, "march"), "+229 %"));
}

#[test]
fn fifty_retrievals_that_do_not_fit_hide_nothing() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let id = bound(&home, GAIN, SPAN);
    home.remember("Invoices are sent on the first Monday of a month");
    let why = home.json(&["why", &id])["trust"].to_string();
    let salience = home.show(&id)["salience"].clone();
    for n in 0..50 {
        home.run(&["recall", &format!("When were invoices of customer {n} sent?")]);
    }
    let memory = home.show(&id);
    assert_eq!((&memory["state"], &memory["flags"]), (&json!("confirmed"), &json!([])));
    assert_eq!(memory["salience"], salience);
    assert_eq!(home.json(&["why", &id])["trust"].to_string(), why);
    assert!(home.texts(&["list"]).contains(&GAIN.to_owned()));
    assert!(asserts(&home.page(&["recall", ASK]), "+229 %"));
}

/// An agent claims something of a file that it made up.
fn assert_to_be_checked(claim: &str, path: &str) {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    crate::settling::patch(
        &home,
        "assistant",
        &json!([
        {"op": "remember", "kind": "fact", "content": claim, "confidence": 0.9}]),
    );
    let memory = home.json(&["list"])["items"][0].clone();
    assert_eq!((&memory["content"], &memory["watermarks"]), (&json!(claim), &json!([])));
    assert!(strings(&memory["flags"]).contains(&"stale"), "{memory}");
    let told = brief(&home, "march");
    assert!(!told.contains(claim), "an agent's claim on probation heads nothing: {told}");
    let told = home.page(&["verify"]);
    assert!(told.contains(&format!("{path}, which does not exist")), "{told}");
    let told = home.page(&["recall", claim]);
    assert!(!asserts(&told, claim) && told.contains("the agent said, "), "{told}");
    home.json(&["verify", &id_of(&memory), "--confirmed"]);
    assert!(!is_stale(&home, &id_of(&memory)), "a person who checked knows better");
}

#[test]
fn an_invented_path_in_an_agents_claim_is_never_watched_and_is_to_be_checked() {
    assert_to_be_checked("RETRY_LIMIT in src/imagined/retry.rs is 7", "src/imagined/retry.rs");
    assert_to_be_checked("src/imagined/retry.rs:40 sets the limit", "src/imagined/retry.rs");
}

#[test]
fn an_invented_path_is_to_be_checked_whatever_else_the_claim_says() {
    assert_to_be_checked("The retry limit in src/imagined/retry.rs is 7", "src/imagined/retry.rs");
}

#[test]
fn a_path_that_a_person_names_and_that_is_not_there_is_no_watermark_either() {
    let home = Home::new();
    let id = home.remember("The retry limit in src/imagined/retry.rs is 7");
    let memory = home.show(&id);
    assert_eq!((&memory["watermarks"], &memory["flags"]), (&json!([]), &json!([])));
}

#[test]
fn a_claim_that_names_a_file_which_bears_it_out_hangs_on_those_lines() {
    let home = Home::new();
    write(&home, "src/retry.rs", "//! Retries.\n\npub const RETRY_LIMIT: u32 = 7;\n");
    let id = home.remember("RETRY_LIMIT in src/retry.rs is 7");
    let marks = home.show(&id)["watermarks"].clone();
    assert_eq!((&marks[0]["target"], &marks[0]["span"]), (&json!("src/retry.rs"), &json!("L3-L3")));
    write(&home, "src/retry.rs", "//! Retries, told.\n\n\npub const RETRY_LIMIT: u32 = 7;\n");
    look(&home);
    assert!(!is_stale(&home, &id), "the lines are there, only further down");
    write(&home, "src/retry.rs", "//! Retries, told.\n\n\npub const RETRY_LIMIT: u32 = 9;\n");
    look(&home);
    assert!(is_stale(&home, &id));
}

#[test]
fn a_history_that_was_rewritten_is_unknown_and_checked_and_not_called_moved() {
    let home = Home::new();
    repository(&home);
    write(&home, PLACE, &KERNEL.replace("64", "48"));
    commit(&home, "second");
    let id = bound(&home, GAIN, "git:src");
    let root = home.project();
    git(&root, &["reset", "-q", "--hard", "HEAD~1"]);
    write(&home, PLACE, &KERNEL.replace("64", "16"));
    commit(&home, "another second");
    git(&root, &["reflog", "expire", "--expire=now", "--all"]);
    git(&root, &["gc", "-q", "--prune=now"]);
    let found = look(&home);
    assert_eq!((&found["moved"], &found["missing"]), (&json!([]), &json!([])), "{found}");
    assert_eq!(found["unknown"][0]["memory"], id.as_str());
    let told = brief(&home, "march");
    assert!(asks_to_check(&told, "+229 %") && !asserts(&told, "+229 %"), "{told}");
    assert_eq!(home.show(&id)["trust"], 0.95, "nothing speaks against it");
    home.assert_sound();
}

#[test]
fn a_file_that_is_as_it_was_again_restores_trust() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let id = bound(&home, GAIN, SPAN);
    write(&home, PLACE, &KERNEL.replace("64", "32"));
    look(&home);
    assert_eq!(home.show(&id)["trust"], 0.38);
    write(&home, PLACE, KERNEL);
    assert!(asserts(&brief(&home, "march"), "+229 %"));
    assert_eq!((&home.show(&id)["trust"], is_stale(&home, &id)), (&json!(0.95), false));
    std::fs::remove_file(home.project().join(PLACE)).unwrap();
    let found = look(&home);
    assert_eq!(found["missing"][0]["memory"], id.as_str(), "{found}");
    assert_eq!(home.show(&id)["trust"], 0.19);
    assert!(brief(&home, "april").contains("it is now gone"));
    write(&home, PLACE, KERNEL);
    look(&home);
    assert_eq!(home.show(&id)["trust"], 0.95);
}

#[test]
fn how_near_a_change_came_decides_how_much_trust_is_left() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let span = bound(&home, GAIN, SPAN);
    let whole = bound(&home, "The kernel needs no allocation", "file:src/kernel.rs");
    write(&home, PLACE, &format!("// A comment above.\n{KERNEL}"));
    look(&home);
    let near = home.show(&span);
    assert_eq!(
        (&near["trust"], &near["flags"]),
        (&json!(0.855), &json!([])),
        "the file, not these"
    );
    assert_eq!(home.show(&whole)["trust"], 0.38);
    assert!(asserts(&home.page(&["recall", ASK]), "+229 %"));
}

#[test]
fn a_file_that_went_elsewhere_with_all_it_says_is_followed() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let id = bound(&home, GAIN, "file:src/kernel.rs");
    std::fs::create_dir(home.project().join("lib")).unwrap();
    std::fs::rename(home.project().join(PLACE), home.project().join("lib/kernel.rs")).unwrap();
    assert_eq!(look(&home)["unchanged"], 1);
    let memory = home.show(&id);
    assert_eq!(memory["watermarks"][0]["target"], "lib/kernel.rs");
    assert_eq!(memory["watermarks"].as_array().map(Vec::len), Some(1));
    assert_eq!(memory["trust"], 0.95);
}

/// Runs a command in a shell that has a variable, or has not.
fn with_variable(home: &Home, value: Option<&str>, args: &[&str]) -> Run {
    let mut command = home.command();
    command.arg("--json").args(args).env_remove("SHOP_REGION");
    command.envs(value.map(|value| ("SHOP_REGION", value)));
    command.output().expect("the program starts").into()
}

#[test]
fn a_variable_of_the_shell_is_watched_and_its_value_is_kept_nowhere() {
    let home = Home::new();
    let args = ["remember", "The shop is deployed to Frankfurt", "--watch", "flag:SHOP_REGION"];
    let done = with_variable(&home, Some("zanzibar-3"), &args);
    assert_eq!(done.code, 0, "{}", done.stderr);
    let id = id_of(&serde_json::from_str::<Value>(&done.stdout).unwrap()["memory"]);
    let readings =
        [("zanzibar-3", "unchanged"), ("zanzibar-4", "moved"), ("zanzibar-3", "unchanged")];
    for (value, status) in readings {
        assert_eq!(with_variable(&home, Some(value), &["verify"]).code, 0);
        assert_eq!(home.show(&id)["watermarks"][0]["status"], status, "{value}");
    }
    assert_eq!(with_variable(&home, None, &["verify"]).code, 0);
    assert_eq!(home.show(&id)["watermarks"][0]["status"], "unknown", "another shell may have it");
    assert!(home.files_holding("zanzibar").is_empty());
}

#[test]
fn a_key_of_a_file_is_watched_and_what_stands_beside_it_is_not() {
    let home = Home::new();
    let manifest = |node: &str, lint: &str| {
        format!(
            "{{\"engines\": {{\"node\": \"{node}\"}}, \"scripts\": {{\"lint\": \"{lint}\"}}}}\n"
        )
    };
    write(&home, "package.json", &manifest("20", "eslint"));
    let id = bound(&home, "The shop is built with Node 20", "flag:package.json#engines.node");
    write(&home, "package.json", &manifest("20", "biome"));
    look(&home);
    assert_eq!((&home.show(&id)["trust"], is_stale(&home, &id)), (&json!(0.95), false));
    write(&home, "package.json", &manifest("22", "biome"));
    look(&home);
    assert!(is_stale(&home, &id));
    let told = brief(&home, "march");
    assert!(told.contains("at 20; it is now 22"), "the values are no secrets: {told}");
}

#[test]
fn a_change_that_hides_behind_the_same_size_and_date_is_noticed() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let date = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_750_000_000);
    let set = || {
        let file = std::fs::File::options().write(true).open(home.project().join(PLACE)).unwrap();
        file.set_modified(date).unwrap();
    };
    set();
    let id = bound(&home, GAIN, SPAN);
    look(&home);
    assert!(!is_stale(&home, &id));
    write(&home, PLACE, &KERNEL.replace("64", "32"));
    set();
    look(&home);
    assert!(is_stale(&home, &id));
}

#[test]
fn a_binding_goes_with_what_it_belongs_to() {
    let home = Home::new();
    write(&home, PLACE, KERNEL);
    let id = bound(&home, GAIN, SPAN);
    home.json(&["forget", &id]);
    assert_eq!(look(&home)["checked"], 0, "nobody looks for what is taken back");
    home.json(&["undo"]);
    assert_eq!(look(&home)["checked"], 1);
    home.json(&["purge", &id, "--yes"]);
    assert_eq!(look(&home)["checked"], 0);
    assert!(home.files_holding("kernel.rs").is_empty(), "an erasure takes it along");
    let id = bound(&home, "The matrix has 4096 rows", SPAN);
    assert_eq!(look(&home)["checked"], 1);
    home.json(&["undo"]);
    assert_eq!(look(&home)["checked"], 0, "undo takes it along: {id}");
    home.assert_sound();
}

/// A bound fact of one clone comes into another, where other things may be known already.
fn imported(known: &[&str]) -> Home {
    let (there, here) = (Home::new(), Home::new());
    for home in [&there, &here] {
        crate::transfer::clone_of(&home.project(), "https://example.com/acme/webshop.git");
        write(home, PLACE, KERNEL);
    }
    known.iter().for_each(|text| drop(here.remember(text)));
    bound(&there, GAIN, SPAN);
    there.json(&["export", "-o", &there.arg("theirs.jsonl")]);
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    here
}

fn assert_watched(here: &Home) {
    assert_eq!(look(here)["unchanged"], 1, "the same words in another clone");
    write(here, PLACE, &KERNEL.replace("64", "32"));
    let told = brief(here, "march");
    assert!(asks_to_check(&told, "+229 %"), "{told}");
}

#[test]
fn an_import_is_held_against_the_files_that_are_here() {
    assert_watched(&imported(&[]));
}

#[test]
fn an_import_into_what_is_known_already_keeps_what_it_hangs_on() {
    assert_watched(&imported(&["Lunch is at noon"]));
}
