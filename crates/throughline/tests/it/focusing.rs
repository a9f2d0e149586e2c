//! Focus: what a session speaks of, opens, uses and edits moves its attention; what is told follows it.

use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Home, strings};
use crate::hooking::Agent;
use crate::mcp_client::{Client, Era};

const PORT: &str = "The staging bastion is reached through port 2222";
const ASKED: &str = "how is the staging bastion reached?";

/// Plays a recorded session through the hooks: what was said at each event, and what was in focus after
/// each answer.
fn replay(home: &Home, name: &str) -> (Vec<String>, Vec<Value>) {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions");
    let recorded = std::fs::read_to_string(place.join(name)).expect("the session is recorded");
    let agent = Agent::new(home, name);
    let (mut said, mut focus) = (Vec::new(), Vec::new());
    for line in recorded.lines() {
        let here = line.replace("/home/dev/webshop", home.project().to_str().expect("plain"));
        let event: Value = serde_json::from_str(&here).expect("an event is one JSON document");
        let kind = event["event"].as_str().expect("an event has a name");
        said.push(agent.tell_at(None, kind, &event["fields"]));
        if kind == "Stop" {
            focus.push(focus_of(home, name));
        }
    }
    agent.ends();
    (said, focus)
}

fn focus_of(home: &Home, session: &str) -> Value {
    home.json(&["--session", session, "focus"])
}

fn labels(nodes: &Value) -> Vec<String> {
    let nodes = nodes.as_array().expect("a list of nodes");
    nodes.iter().map(|one| one["label"].as_str().expect("a label").to_owned()).collect()
}

fn activation(focus: &Value, id: &str) -> f64 {
    let nodes = ["focus", "near"].iter().flat_map(|part| focus[*part].as_array().expect("nodes"));
    let found = nodes.into_iter().find(|one| one["id"] == id);
    found.map_or(0.0, |one| one["activation"].as_f64().expect("a number"))
}

/// Brings a memory into focus without showing it to the session.
fn open_often(home: &Home, session: &'static str, id: &str) {
    for _ in 0..4 {
        home.session(session).json(&["expand", id]);
    }
}

#[test]
fn a_focus_of_three_to_five_forms_in_recorded_sessions() {
    for (name, spoken, file) in [
        ("import.jsonl", "import_prices", "src/import/prices.rs"),
        ("login.jsonl", "SessionStore", "src/auth/session.rs"),
    ] {
        let home = Home::new();
        let (_, focus) = replay(&home, name);
        let sizes: Vec<usize> = focus.iter().map(|one| labels(&one["focus"]).len()).collect();
        assert!(sizes[1..].iter().all(|size| (3..=5).contains(size)), "{name}: {sizes:?}");
        let last = labels(&focus[focus.len() - 1]["focus"]);
        for wanted in [spoken, file] {
            assert!(last.iter().any(|label| label == wanted), "{name}: {last:?}");
        }
        let technical = |one: &&Value| one["label"] == file && one["domain"] == "technical";
        let nodes = focus[focus.len() - 1]["focus"].as_array().expect("nodes");
        assert!(nodes.iter().any(|one| technical(&one)), "{nodes:?}");
        let domains = focus[focus.len() - 1]["domains"].as_array().expect("domains").clone();
        assert!(domains.iter().any(|one| one["domain"] == "technical"), "{domains:?}");
    }
}

#[test]
fn what_was_decided_in_a_session_is_in_its_mind_with_names_and_files() {
    let home = Home::new();
    let (_, focus) = replay(&home, "import.jsonl");
    let listed = home.json(&["list", "--kind", "decision"]);
    let items = listed["items"].as_array().expect("decisions");
    let decided =
        |one: &&Value| one["content"].as_str().is_some_and(|text| text.contains("import_errors"));
    let id = items.iter().find(decided).expect("the decision is kept")["id"].clone();
    let kept = home.files_holding(id.as_str().expect("an id"));
    assert!(kept.iter().any(|path| path.to_string_lossy().contains("/hot/")), "{kept:?}");
    let last = &focus[focus.len() - 1];
    let names = [labels(&last["focus"]), labels(&last["near"])].concat();
    for wanted in ["import_prices", "src/import/prices.rs"] {
        assert!(names.iter().any(|name| name == wanted), "{wanted}: {names:?}");
    }
    let areas = last["domains"].as_array().expect("domains");
    assert!(areas.iter().any(|one| one["domain"] == "technical"), "{areas:?}");
    let turns: Vec<u64> = focus.iter().map(|one| one["turn"].as_u64().expect("a turn")).collect();
    assert!(turns.windows(2).all(|pair| pair[0] < pair[1]), "{turns:?}");
}

#[test]
fn opening_a_memory_raises_it_and_what_it_is_connected_with_by_both_doors() {
    let home = Home::new();
    let bastion = home.remember(PORT);
    let key = home.remember("The key of the bastion lies in the vault");
    home.json(&["link", &bastion, "depends_on", &key]);
    open_often(&home, "one", &bastion);
    let focus = focus_of(&home, "one");
    assert_eq!(labels(&focus["focus"]), [PORT], "{focus}");
    assert!((activation(&focus, &bastion) - 0.4).abs() < 0.01, "four times .1: {focus}");
    assert_eq!(focus["near"][0]["id"], key.as_str(), "{focus}");
    assert!(activation(&focus, &key) > 0.0, "{focus}");

    let mut client = Client::greet(home.command(), &["mcp", "--session", "two"], Era::Handshake);
    for _ in 0..3 {
        client.call("expand", json!({ "id": bastion }));
    }
    client.leave();
    assert_eq!(labels(&focus_of(&home, "two")["focus"]), [PORT]);
}

/// Three memories that a question about releases brings up, each too long for a line.
fn releases(home: &Home) -> [String; 3] {
    ["billing", "search", "mailing"].map(|service| {
        home.remember(&format!(
            "Releases of the {service} service are rolled out by the release robot in three waves: first to \
             the canary hosts, then to one region after the other, and at last to the {service} standby"
        ))
    })
}

/// In which detail each memory was told last.
fn details(home: &Home, ids: &[String]) -> Vec<String> {
    let told = home.json(&["told", "--limit", "1"]);
    let why = told["items"][0]["why"].as_array().expect("reasons").clone();
    let detail = |id: &String| {
        let found = why.iter().find(|one| one["id"].as_str().is_some_and(|of| id.ends_with(of)));
        found.map_or_else(String::new, |one| one["detail"].as_str().expect("a detail").to_owned())
    };
    ids.iter().map(detail).collect()
}

#[test]
fn a_focus_that_shifts_changes_how_much_is_told() {
    let question = "how are releases rolled out by the release robot, in which waves?";
    let home = Home::new();
    let ids = releases(&home);
    let other = home.remember("The canteen serves soup on Tuesdays");
    assert!(!Agent::new(&home, "none").hears(question).is_empty());
    assert_eq!(details(&home, &ids), ["full"; 3], "without a focus everything is told in full");

    open_often(&home, "else", &other);
    assert!(!Agent::new(&home, "else").hears(question).is_empty());
    let elsewhere = details(&home, &ids);
    assert_eq!(elsewhere.iter().filter(|one| *one == "full").count(), 1, "{elsewhere:?}");
    assert_eq!(elsewhere.iter().filter(|one| *one == "line").count(), 2, "{elsewhere:?}");

    let beside = elsewhere.iter().position(|one| one == "line").expect("there are two");
    open_often(&home, "there", &ids[beside]);
    assert!(!Agent::new(&home, "there").hears(question).is_empty());
    assert_eq!(details(&home, &ids)[beside], "full", "it is in focus now");
}

#[test]
fn with_a_focus_a_prompt_about_nothing_still_brings_nothing() {
    let home = Home::new();
    let id = home.remember(PORT);
    open_often(&home, "one", &id);
    let agent = Agent::new(&home, "one");
    for prompt in ["thanks!", "ok, go on", "write a haiku about the sea", "run the tests again"] {
        assert_eq!(agent.hears(prompt), "", "{prompt}");
    }
}

#[test]
fn another_topic_frees_what_was_shown_so_that_it_may_be_shown_again() {
    let home = Home::new();
    home.remember(PORT);
    let agent = Agent::new(&home, "one");
    assert!(agent.hears(ASKED).contains("2222"));
    agent.answers("Let me look.");
    assert_eq!(agent.hears(ASKED), "", "it was just told");
    agent.answers("As I said.");
    let else_ =
        "Please design the birthday invitation of my daughter with balloons, a unicorn and glitter";
    assert_eq!(agent.hears(else_), "");
    agent.answers("Here is an invitation.");
    assert!(agent.hears(ASKED).contains("2222"), "the topic was another one meanwhile");
}

#[test]
fn a_memory_that_was_used_in_an_answer_comes_into_focus() {
    let home = Home::new();
    let id = home.remember(PORT);
    let agent = Agent::new(&home, "one");
    assert!(agent.hears(ASKED).contains("2222"));
    agent.answers("The staging bastion is reached through port 2222.");
    let shown_and_used = focus_of(&home, "one");
    agent.hears("and how is the staging bastion reached from home?");
    agent.answers("Also from home the staging bastion is reached through port 2222.");
    let focus = focus_of(&home, "one");
    assert!(activation(&focus, &id) > activation(&shown_and_used, &id), "{focus}");
    assert!(labels(&focus["focus"]).contains(&PORT.to_owned()), "{focus}");
}

#[test]
fn a_path_that_only_a_tool_brought_is_in_a_sessions_mind() {
    let home = Home::new();
    let file = home.project().join("src/billing/round.rs");
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder can be made");
    std::fs::write(&file, "// rounds\n").expect("a file can be written");
    let agent = Agent::new(&home, "one");
    let edit = |number: usize| {
        let call = json!({ "tool_name": "Edit", "tool_use_id": format!("toolu_{number}"),
            "tool_input": { "file_path": file, "old_string": "a", "new_string": "b" },
            "tool_response": { "stdout": "", "stderr": "" } });
        agent.tell_at(None, "PostToolBatch", &json!({ "tool_calls": [call] }));
    };
    agent.hears("please mend what the auditor complained about");
    agent.answers("I will look.");
    assert_eq!(focus_of(&home, "one")["domains"], json!([]), "nobody has named anything");
    edit(1);
    agent.answers("Done.");
    let once = focus_of(&home, "one");
    assert_eq!(once["domains"], json!([{"domain": "technical", "n": 1}]), "{once}");
    for number in 2..8 {
        edit(number);
        agent.answers("Done again.");
    }
    let often = focus_of(&home, "one");
    let names = [labels(&often["focus"]), labels(&often["near"])].concat();
    assert_eq!(names, ["src/billing/round.rs"], "{often}");
}

#[test]
fn what_a_session_used_and_had_in_mind_together_is_in_the_store_when_it_has_ended() {
    let home = Home::new();
    let port = home.remember(PORT);
    let key = home.remember("The key of the staging bastion lies in the vault");
    let other = home.remember("The canteen serves soup");
    let uses = |id: &str| home.show(id)["uses"].as_u64().expect("a number");
    for id in [&port, &key] {
        open_often(&home, "one", id);
    }
    let agent = Agent::new(&home, "one");
    for (asked, said) in [
        (ASKED, "The staging bastion is reached through port 2222."),
        ("where is its key?", "The key of the staging bastion lies in the vault."),
    ] {
        agent.hears(asked);
        agent.answers(said);
    }
    let before = [uses(&port), uses(&key)];
    agent.ends();
    let after = [uses(&port), uses(&key)];
    assert_eq!(after, before.map(|uses| uses + 1), "the session as a whole counts once more");
    let graph = home.json(&["graph"]);
    let edges = graph["edges"].as_array().expect("edges").iter();
    let together: Vec<_> = edges.filter(|edge| edge["relation"] == "co_used").collect();
    assert_eq!(together.len(), 1, "nothing else was in mind: {graph}");
    let ends = [&together[0]["from"], &together[0]["to"]];
    assert!(ends.contains(&&json!(port)) && ends.contains(&&json!(key)), "{graph}");
    assert_eq!(uses(&other), 0);
    // What was counted is not counted again.
    agent.ends();
    assert_eq!([uses(&port), uses(&key)], after);
}

/// A session that was about the bastion, with a chain of three memories beside it.
fn chain(home: &Home) -> [String; 4] {
    let long =
        format!("{PORT}, {}", "and whoever wants in asks the operators for a key first ".repeat(3));
    let ids = [
        home.remember(&long),
        home.remember("The key of the bastion lies in the vault"),
        home.remember_with(&["The vault is sealed at night", "--domain", "technical"]),
        home.remember_with(&["Ada unseals the vault by hand", "--domain", "project"]),
    ];
    for pair in ids.windows(2) {
        home.json(&["link", &pair[0], "depends_on", &pair[1]]);
    }
    ids
}

#[test]
fn after_a_compaction_the_focus_is_told_in_full_what_is_near_in_a_line_and_the_rest_counted() {
    let home = Home::new();
    let ids = chain(&home);
    open_often(&home, "one", &ids[0]);
    let agent = Agent::new(&home, "one");
    agent.hears("please look at deploy/network.tf");
    agent.answers("deploy/network.tf opens nothing.");
    let focus = focus_of(&home, "one");
    assert_eq!(focus["further"], json!([{"domain": "technical", "n": 1}]), "{focus}");
    agent.tell_at(None, "PreCompact", &json!({"trigger": "auto"}));
    let told = agent.tell_at(None, "SessionStart", &json!({"source": "compact"}));
    assert!(told.contains("Lately about: deploy/network.tf"), "{told}");
    assert_eq!(told.matches("asks the operators").count(), 3, "in full: {told}");
    assert!(told.contains("key of the bastion lies in the vault"), "{told}");
    assert!(!told.contains("sealed at night") && !told.contains("unseals"), "{told}");
    assert!(told.contains("1 more in project, 1 in technical"), "{told}");
    assert!(told.len() / 4 <= 1_200, "within the budget: {told}");
}

#[test]
fn a_session_that_goes_on_is_brought_in_line_with_the_store() {
    let home = Home::new();
    let ids = chain(&home);
    open_often(&home, "one", &ids[1]);
    let agent = Agent::new(&home, "one");
    agent.hears("hello there");
    let held = |id: &str| {
        let kept = home.files_holding(id);
        kept.iter().any(|path| path.to_string_lossy().contains("/hot/"))
    };
    assert!(held(&ids[1]) && held(&ids[2]));
    let new = home.remember("Guards watch the second data centre");
    home.json(&["link", &ids[2], "informs", &new]);
    home.json(&["forget", &ids[1]]);
    assert!(!held(&new));
    agent.tell_at(None, "SessionStart", &json!({"source": "resume"}));
    assert!(held(&new), "what is connected with what it had in mind came along");
    let focus = focus_of(&home, "one");
    assert!(!labels(&focus["focus"]).iter().any(|label| label.contains("key of")), "{focus}");
}

#[test]
fn the_next_session_hears_what_the_last_one_was_about() {
    let home = Home::new();
    home.remember("Prices are imported at night");
    replay(&home, "import.jsonl");
    let told = Agent::new(&home, "next").starts();
    let line = told.lines().find(|line| line.starts_with("Lately about: "));
    let line = line.unwrap_or_else(|| panic!("{told}"));
    assert!(line.contains("src/import/prices.rs") && line.contains("import_prices"), "{line}");
    // And it has them in mind, before anything was said in it.
    let focus = focus_of(&home, "next");
    let names = [labels(&focus["focus"]), labels(&focus["near"])].concat();
    assert!(names.iter().any(|name| name == "src/import/prices.rs"), "{focus}");
}

#[test]
fn what_a_file_says_is_an_anchor_and_never_leaves_a_sessions_mind() {
    let home = Home::new();
    let id = home.remember_with(&[
        "Commits are signed with the team key",
        "--authority",
        "file",
        "--kind",
        "principle",
    ]);
    let agent = Agent::new(&home, "one");
    assert!(agent.starts().contains("team key"));
    for turn in 0..30 {
        agent.hears(&format!("hello number {turn}"));
    }
    agent.answers("Hello.");
    let told = agent.tell_at(None, "SessionStart", &json!({"source": "compact"}));
    let (_, used) =
        told.split_once("# Known before, and in use here").unwrap_or_else(|| panic!("{told}"));
    assert!(used.contains("team key"), "after thirty turns: {told}");
    assert!(!strings(&home.show(&id)["flags"]).contains(&"dormant"));
}

#[test]
fn what_a_found_memory_contests_is_shown_beside_it_and_nothing_that_rests_on_it() {
    let home = Home::new();
    let found = home.remember("The ledger runs on Postgres 16");
    let rival = home.remember("Our books are kept with MySQL instead");
    let reason = home.remember("Oracle gave us a discount on everything");
    home.json(&["contradict", &found, &rival]);
    home.json(&["link", &rival, "because", &reason]);
    let recalled = home.json(&["recall", "what does the ledger run on?", "--explain"]);
    let texts: Vec<&str> = recalled["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|one| one["memory"]["content"].as_str().expect("a text"))
        .collect();
    assert_eq!(texts, ["The ledger runs on Postgres 16", "Our books are kept with MySQL instead"]);
    assert!(recalled["text"].as_str().expect("a text").contains("contested by"), "{recalled}");
    let candidates = recalled["candidates"].as_array().expect("candidates");
    let of = |id: &str| candidates.iter().find(|one| one["id"] == id).cloned().unwrap_or_default();
    assert_eq!(of(&reason)["path"].as_array().map_or(0, Vec::len), 0, "it was not walked to");
}

#[test]
fn what_is_erased_leaves_no_name_in_a_sessions_mind() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.hears("Remember that the launch is called QuixoticZebra.");
    agent.answers("Noted.");
    let in_mind = || {
        let left = home.files_holding("quixotic");
        left.iter().any(|path| path.to_string_lossy().contains("/hot/"))
    };
    assert!(in_mind());
    let all = home.everything();
    for memory in all["items"].as_array().expect("items") {
        home.json(&["purge", memory["id"].as_str().expect("an id"), "--yes"]);
    }
    assert!(!in_mind());
}

#[test]
fn a_project_without_a_session_has_nothing_in_focus() {
    let home = Home::new();
    home.remember(PORT);
    assert_eq!(home.error(&["focus"]).0, 1);
    let agent = Agent::new(&home, "one");
    agent.hears("hello there");
    agent.answers("Hello.");
    let page = home.page(&["focus"]);
    assert!(page.contains("nothing is in focus"), "{page}");
}
