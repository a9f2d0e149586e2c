//! Graduation: what proved itself is proposed as one line of a flat file, and a person alone lets it in.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::fading::{diary, work};
use crate::harness::{Home, Run, handle, id_of};
use crate::hooking::Agent;
use crate::watching::write;

const RULE: &str = "Deployments to production need two approvals";

/// A memory that was used in several sessions and is connected, proposed by a sleep.
pub(crate) fn proven(home: &Home) -> String {
    let id = home.remember_with(&[
        RULE,
        "--kind",
        "decision",
        "--because",
        "a bad deploy cost us a weekend",
        "--tag",
        "deploy",
    ]);
    for session in ["one", "two", "three"] {
        let asked = home
            .session(session)
            .json(&["recall", "how many approvals do deployments to production need?"]);
        assert_eq!(asked["items"][0]["memory"]["id"], id.as_str(), "{asked}");
    }
    id
}

fn proposals(home: &Home) -> Vec<Value> {
    home.json(&["review"])["graduation"].as_array().expect("a list").clone()
}

fn file(home: &Home, name: &str) -> PathBuf {
    home.project().join(name)
}

fn read(home: &Home, name: &str) -> String {
    std::fs::read_to_string(file(home, name)).expect("the file is there")
}

fn id(proposal: &Value) -> &str {
    proposal["id"].as_str().expect("an id")
}

#[test]
fn what_proved_itself_is_proposed_and_accepted_as_one_line_and_taken_out_by_undo() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "# Webshop\n\n- Use pnpm, never npm\n");
    let memory = proven(&home);
    assert!(proposals(&home).is_empty());
    assert_eq!(home.json(&["sleep", "--dry-run"])["changes"]["proposed"], 1);
    assert!(proposals(&home).is_empty());
    let slept = home.json(&["sleep"]);
    assert_eq!(slept["changes"]["proposed"], 1, "{slept}");
    let found = proposals(&home);
    let line = format!("- {RULE} <!-- throughline:{} -->", handle(&memory));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["memory"]["id"], &found[0]["file"]),
        (&memory.as_str().into(), &"CLAUDE.md".into())
    );
    assert_eq!(
        found[0]["diff"],
        format!(
            "--- CLAUDE.md\n+++ CLAUDE.md\n@@ -2,2 +2,3 @@\n \n - Use pnpm, never npm\n+{line}\n"
        )
    );
    assert!(home.page(&["review"]).contains("For a file (1)"));
    assert_eq!(
        read(&home, "CLAUDE.md"),
        "# Webshop\n\n- Use pnpm, never npm\n",
        "nothing is written yet"
    );

    let accepted = home.json(&["review", "--accept", id(&found[0])]);
    assert_eq!(accepted["decided"]["ids"], json!([memory]));
    let written = format!("# Webshop\n\n- Use pnpm, never npm\n{line}\n");
    assert_eq!(read(&home, "CLAUDE.md"), written);
    assert_eq!(home.show(&memory)["file"], "CLAUDE.md");
    assert_eq!(home.error(&["review", "--accept", id(&found[0])]).0, 3, "once");
    // Read again, the line is the same memory and no second one; and it is not proposed again.
    Agent::new(&home, "later").starts();
    home.json(&["sleep"]);
    assert_eq!(home.texts(&["search", "approvals"]).len(), 1);
    assert!(proposals(&home).is_empty());
    assert_eq!(read(&home, "CLAUDE.md"), written);

    let batches = home.json(&["log", "--limit", "50"]);
    let review = batches["batches"]
        .as_array()
        .expect("a log")
        .iter()
        .find(|one| one["cause"] == "review" && one.to_string().contains("graduated_at"));
    let undone =
        home.json(&["undo", review.expect("it was logged")["id"].as_str().expect("an id")]);
    assert_eq!(undone["files"], json!(["CLAUDE.md was changed back"]));
    assert_eq!(read(&home, "CLAUDE.md"), "# Webshop\n\n- Use pnpm, never npm\n");
    assert_eq!(home.show(&memory)["state"], "confirmed");
    home.json(&["undo", undone["batch"].as_str().expect("a batch")]);
    assert_eq!(read(&home, "CLAUDE.md"), written, "and the undo can be undone");
    home.assert_sound();
}

#[test]
fn all_three_conditions_are_needed_and_doubt_keeps_a_memory_out() {
    let home = Home::new();
    let ask = |session: &'static str, query: &str| {
        home.session(session).json(&["recall", query]);
    };
    // Two sessions only.
    home.remember_with(&[
        "Mails are sent by the relay in Basel",
        "--tag",
        "mail",
        "--because",
        "the old one was slow",
        "--kind",
        "decision",
    ]);
    for session in ["one", "two"] {
        ask(session, "which relay sends the mails?");
    }
    // No connections.
    home.remember_with(&["Backups are kept for ninety days", "--kind", "decision"]);
    for session in ["one", "two", "three"] {
        ask(session, "for how many days are backups kept?");
    }
    // Too little weight.
    let light = home.remember_with(&[
        "Tickets are closed by the bot in Bern",
        "--tag",
        "tickets",
        "--because",
        "nobody closed them by hand",
        "--kind",
        "decision",
        "--importance",
        "0.1",
    ]);
    for session in ["one", "two", "three"] {
        ask(session, "which bot closes the tickets?");
    }
    let light = home.show(&light);
    assert_eq!(light["sessions"], 3, "{light}");
    assert!(light["salience"].as_f64() < Some(0.6), "{light}");
    home.json(&["sleep"]);
    assert!(proposals(&home).is_empty(), "{:?}", proposals(&home));
    // Contested.
    let memory = proven(&home);
    let other = home.remember("Deployments to production need no approvals at all");
    home.json(&["contradict", &memory, &other]);
    home.json(&["sleep"]);
    assert!(proposals(&home).is_empty(), "{:?}", proposals(&home));
}

#[test]
fn an_agent_sees_proposals_and_can_accept_none() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "- Use pnpm\n");
    proven(&home);
    home.json(&["sleep"]);
    let found = proposals(&home);
    let mut command = home.command();
    command.env("CLAUDECODE", "1").args(["--json", "review", "--accept", id(&found[0])]);
    let run: Run = command.output().expect("the program starts").into();
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert_eq!(read(&home, "CLAUDE.md"), "- Use pnpm\n");
    assert_eq!(proposals(&home).len(), 1);
    home.json(&["review", "--reject", id(&found[0])]);
    home.json(&["sleep"]);
    assert!(proposals(&home).is_empty(), "what was rejected is not proposed again");
}

#[test]
fn a_file_that_changed_meanwhile_is_not_written_and_the_proposal_is_shown_again() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "- Use pnpm\n");
    proven(&home);
    home.json(&["sleep"]);
    let first = proposals(&home);
    write(&home, "CLAUDE.md", "- Use bun\n");
    let (code, error) = home.error(&["review", "--accept", id(&first[0])]);
    assert_eq!(code, 1, "{error}");
    assert!(
        error["message"].as_str().expect("a message").contains("CLAUDE.md was changed"),
        "{error}"
    );
    assert_eq!(read(&home, "CLAUDE.md"), "- Use bun\n");
    let again = proposals(&home);
    assert_eq!(again.len(), 1);
    assert!(
        again[0]["diff"].as_str().expect("a diff").contains(" - Use bun\n+- Deployments"),
        "{again:?}"
    );
    home.json(&["review", "--accept", id(&again[0])]);
    assert!(read(&home, "CLAUDE.md").starts_with("- Use bun\n- Deployments"));
}

#[test]
fn line_ends_and_permissions_stay_as_they_are() {
    let home = Home::new();
    std::fs::write(file(&home, "AGENTS.md"), "# A\r\n- Use pnpm").expect("written");
    permit(&home, "AGENTS.md", 0o640);
    let memory = proven(&home);
    home.json(&["sleep"]);
    let found = proposals(&home);
    assert_eq!(found[0]["file"], "AGENTS.md");
    home.json(&["review", "--accept", id(&found[0])]);
    let line = format!("- {RULE} <!-- throughline:{} -->", handle(&memory));
    assert_eq!(read(&home, "AGENTS.md"), format!("# A\r\n- Use pnpm\r\n{line}"));
    assert_eq!(permissions(&home, "AGENTS.md"), 0o640);
    home.json(&["undo"]);
    assert_eq!(read(&home, "AGENTS.md"), "# A\r\n- Use pnpm");
    assert_eq!(permissions(&home, "AGENTS.md"), 0o640);
    let left: Vec<_> = std::fs::read_dir(home.project()).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "nothing is left beside it: {left:?}");
}

#[test]
fn where_there_is_no_file_one_is_made_and_undo_leaves_none_of_our_lines() {
    let home = Home::new();
    let memory = proven(&home);
    home.json(&["sleep"]);
    let found = proposals(&home);
    assert_eq!(found[0]["file"], "AGENTS.md");
    assert!(found[0]["diff"].as_str().expect("a diff").starts_with("--- /dev/null\n"), "{found:?}");
    home.json(&["review", "--accept", id(&found[0])]);
    assert_eq!(
        read(&home, "AGENTS.md"),
        format!("- {RULE} <!-- throughline:{} -->\n", handle(&memory))
    );
    home.json(&["undo"]);
    assert_eq!(read(&home, "AGENTS.md"), "");
}

#[cfg(unix)]
#[test]
fn files_that_cannot_be_written_say_so_and_stay_whole() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "- Use pnpm\n");
    proven(&home);
    home.json(&["sleep"]);
    let found = proposals(&home);
    permit(&home, "CLAUDE.md", 0o444);
    let (code, error) = home.error(&["review", "--accept", id(&found[0])]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().expect("a message").contains("read-only"), "{error}");
    permit(&home, "CLAUDE.md", 0o644);
    for bytes in [&b"- Use\0pnpm\n"[..], &b"- \xff\n"[..], "- long\n".repeat(60_000).as_bytes()] {
        std::fs::write(file(&home, "CLAUDE.md"), bytes).expect("written");
        let (code, error) = home.error(&["review", "--accept", id(&found[0])]);
        assert_eq!(code, 1, "{error}");
        assert_eq!(std::fs::read(file(&home, "CLAUDE.md")).expect("there"), bytes);
    }
    std::fs::remove_file(file(&home, "CLAUDE.md")).expect("there");
    std::fs::write(home.outside("theirs.md"), "- Use pnpm\n").expect("written");
    std::os::unix::fs::symlink(home.outside("theirs.md"), file(&home, "CLAUDE.md"))
        .expect("a link");
    let (code, error) = home.error(&["review", "--accept", id(&found[0])]);
    assert_eq!(code, 1);
    assert!(error["message"].as_str().expect("a message").contains("outside"), "{error}");
    assert_eq!(std::fs::read_to_string(home.outside("theirs.md")).expect("there"), "- Use pnpm\n");
    assert_eq!(proposals(&home).len(), 1, "it still waits");
    let stuck = &proposals(&home)[0]["stuck"];
    assert!(stuck.as_str().is_some_and(|why| why.contains("outside")), "{stuck}");
}

#[test]
fn an_anchor_that_nobody_needs_for_weeks_is_proposed_for_leaving_its_file() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "# Facts\n- The canteen is on the third floor\n- Use pnpm\n");
    Agent::new(&home, "one").starts();
    let listed = home.json(&["list"]);
    let items = listed["items"].as_array().expect("a list");
    let canteen = items.iter().find(|one| one["content"].to_string().contains("canteen"));
    let canteen = id_of(canteen.expect("it was read"));
    let diary = diary(&home);
    work(&home, &diary, 0..30);
    home.json(&["sleep"]);
    assert!(proposals(&home).is_empty(), "not yet: {:?}", proposals(&home));
    work(&home, &diary, 30..92);
    home.json(&["sleep"]);
    assert_eq!(home.show(&canteen)["flags"], json!([]), "an anchor has a floor");
    assert!(home.show(&canteen)["salience"].as_f64() >= Some(0.2), "{}", home.show(&canteen));
    let found = proposals(&home);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&found[0]["memory"]["id"], &found[0]["takes_out"]),
        (&canteen.as_str().into(), &true.into())
    );
    assert!(found[0]["diff"].as_str().expect("a diff").contains("\n-- The canteen"), "{found:?}");
    home.json(&["review", "--accept", id(&found[0])]);
    assert_eq!(read(&home, "CLAUDE.md"), "# Facts\n- Use pnpm\n");
    assert_eq!(home.show(&canteen)["state"], "archived");
    Agent::new(&home, "two").starts();
    assert_eq!(home.show(&canteen)["state"], "archived");
    let log = home.json(&["log", "--limit", "20"]);
    let batch =
        log["batches"].as_array().expect("a log").iter().find(|one| one["cause"] == "review");
    home.json(&["undo", batch.expect("logged")["id"].as_str().expect("an id")]);
    assert_eq!(
        read(&home, "CLAUDE.md"),
        "# Facts\n- The canteen is on the third floor\n- Use pnpm\n"
    );
    assert_eq!(home.show(&canteen)["state"], "staged");
}

#[cfg(unix)]
fn permit(home: &Home, name: &str, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(file(home, name), permissions).expect("permissions can be set");
}

#[cfg(unix)]
fn permissions(home: &Home, name: &str) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(file(home, name)).expect("there").permissions().mode() & 0o777
}

#[cfg(not(unix))]
fn permit(_: &Home, _: &str, _: u32) {}

#[cfg(not(unix))]
fn permissions(_: &Home, _: &str) -> u32 {
    0o640
}

#[test]
fn what_became_doubtful_since_it_was_proposed_is_not_written() {
    let home = Home::new();
    write(&home, "CLAUDE.md", "# Webshop\n");
    let memory = proven(&home);
    home.json(&["sleep"]);
    let found = proposals(&home);
    let other = home.remember("Nobody approves anything before it ships");
    home.json(&["contradict", &memory, &other]);
    let (code, error) = home.error(&["review", "--accept", id(&found[0])]);
    assert_eq!(code, 1, "{error}");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("contested")), "{error}");
    assert_eq!(read(&home, "CLAUDE.md"), "# Webshop\n");
}

#[test]
fn purge_takes_our_own_line_out_of_its_file_and_names_a_line_of_somebody_else() {
    let home = Home::new();
    let own = "# Webshop\n\n- Use pnpm, never npm\n";
    write(&home, "CLAUDE.md", own);
    let memory = proven(&home);
    home.json(&["sleep"]);
    home.json(&["review", "--accept", id(&proposals(&home)[0])]);
    assert!(read(&home, "CLAUDE.md").contains(RULE));
    let purged = home.json(&["purge", &memory, "--yes"]);
    assert_eq!(read(&home, "CLAUDE.md"), own, "everything else is as it was");
    assert_eq!(purged["lines_removed"], json!(["CLAUDE.md"]), "{purged}");
    assert_eq!(purged["files_left"], json!([]), "{purged}");
    assert_eq!(home.files_holding("approvals"), Vec::<PathBuf>::new());
    for again in 0..3 {
        Agent::new(&home, &format!("reads-{again}")).starts();
    }
    let line = home.json(&["search", "pnpm"])["items"][0]["id"].as_str().expect("an id").to_owned();
    let purged = home.page(&["purge", &line, "--yes"]);
    assert!(purged.contains("CLAUDE.md still says it"), "{purged}");
    assert_eq!(read(&home, "CLAUDE.md"), own, "the user's own line is the user's");
}
