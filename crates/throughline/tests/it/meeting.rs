//! What gives the same thing another value meets what was said before, whatever door it came by.
//! What is only alike does not: likeness is no evidence.

use serde_json::{Value, json};

use crate::harness::{Home, handle, strings};
use crate::hooking::Agent;

/// Pairs that are alike and say opposite things, or speak of two things.
pub(crate) const OPPOSITES: [(&str, &str); 8] = [
    (
        "The cache layer stores encrypted session data",
        "The cache layer stores unencrypted session data",
    ),
    (
        "The schema migrations run before the canary deploy",
        "The schema migrations run after the canary deploy",
    ),
    ("The billing worker reads the ledger queue", "The billing worker writes the ledger queue"),
    ("The gateway exposes an internal admin API", "The gateway exposes an external admin API"),
    ("The payments client is synchronous", "The payments client is asynchronous"),
    ("The import job wants larger batches", "The import job wants smaller batches"),
    ("Retries increase the load on the ledger", "Retries decrease the load on the ledger"),
    ("The billing worker is allowed to retry", "The billing worker is not allowed to retry"),
];

fn contents(list: &Value) -> Vec<String> {
    let items = list["items"].as_array().expect("a list");
    items.iter().map(|one| one["content"].as_str().expect("a text").to_owned()).collect()
}

fn current(home: &Home) -> Vec<String> {
    let mut current = contents(&home.json(&["list"]));
    current.sort();
    current
}

#[test]
fn opposites_stay_two_memories_and_what_is_seen_to_contradict_is_put_before_a_person() {
    let mut met = 0;
    for (one, other) in OPPOSITES {
        let home = Home::new();
        let first = home.remember(one);
        let before = home.show(&first);
        home.travel("2026-03-03");
        let second = home.json(&["remember", other]);
        assert_eq!(
            (&second["deduped"], &second["superseded"]),
            (&json!(false), &json!([])),
            "{other}"
        );
        let after = home.show(&first);
        let contested = strings(&second["contested"]) == [first];
        met += usize::from(contested);
        // Likeness is no evidence: trust falls where both cannot hold, and never rises.
        let trust = |memory: &Value| memory["trust"].as_f64().expect("a number");
        assert!(
            if contested {
                trust(&after) < trust(&before)
            } else {
                after["trust"] == before["trust"]
            },
            "{one}"
        );
        assert_eq!(after["evidence"], before["evidence"], "{one}");
        assert_eq!(current(&home).len(), 2, "{one} / {other}");
    }
    // The reader does not see all of them.
    assert!(met >= 3, "{met} of {} were noticed", OPPOSITES.len());
}

#[test]
fn opposites_that_are_told_to_an_agent_stay_two_memories_and_add_no_evidence() {
    let home = Home::new();
    let agent = Agent::new(&home, "monday");
    agent.hears("Remember that the cache layer stores encrypted session data.");
    agent.answers("Noted.");
    let before = home.json(&["search", "cache layer stores encrypted"])["items"][0].clone();
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "tuesday");
    agent.hears("Remember that the cache layer stores unencrypted session data.");
    agent.answers("Noted.");
    let kept = current(&home);
    assert_eq!(kept.len(), 2, "{kept:?}");
    let after = home.show(before["id"].as_str().expect("an id"));
    assert_eq!(after["evidence"], before["evidence"]);
}

#[test]
fn opposites_that_are_told_in_two_prompts_lend_each_other_no_evidence_and_no_trust() {
    for (one, other) in OPPOSITES {
        let home = Home::new();
        for (day, session, said) in
            [("2026-03-02", "monday", one), ("2026-03-03", "tuesday", other)]
        {
            home.travel(day);
            let agent = Agent::new(&home, session);
            agent.hears(&format!("Remember: {said}."));
            agent.answers("Noted.");
            agent.ends();
        }
        let all = home.everything();
        let kept = all["items"].as_array().expect("a list");
        for said in [one, other] {
            let memory = kept.iter().find(|memory| memory["content"] == said);
            let memory = memory.unwrap_or_else(|| panic!("{said} is kept: {all}"));
            assert_eq!(memory["evidence"].as_array().map(Vec::len), Some(1), "{memory}");
            assert!(memory["trust"].as_f64().is_some_and(|trust| trust <= 0.95), "{memory}");
        }
        let first = kept.iter().find(|memory| memory["content"] == one).expect("it is kept");
        assert_ne!(first["state"], "retracted", "{first}");
    }
}

#[test]
fn opposites_that_an_agent_remembers_by_tool_or_shell_leave_the_users_word_as_it_was() {
    for (one, other) in OPPOSITES {
        let home = Home::new();
        let first = home.remember(one);
        let before = home.show(&first);
        home.travel("2026-03-03");
        let by_tool = home.mcp().call("remember", json!({ "content": other }));
        assert_eq!(by_tool["known"], Value::Null, "{other}: {by_tool}");
        let mut shell = home.command();
        shell.env("CLAUDECODE", "1").args(["--json", "remember", other]);
        assert!(shell.output().expect("the program starts").status.success(), "{other}");
        let after = home.show(&first);
        for what in ["state", "authority", "evidence"] {
            assert_eq!(after[what], before[what], "{one}");
        }
        assert!(after["trust"].as_f64() <= before["trust"].as_f64(), "{one}: {after}");
        assert_eq!(current(&home).len(), 2, "{one} / {other}");
    }
}

#[test]
fn another_value_from_an_agents_shell_disagrees_with_the_users_word_and_replaces_nothing() {
    let home = Home::new();
    let first = home.remember("Prod runs MySQL 8");
    let mut shell = home.command();
    shell.env("CLAUDECODE", "1").args(["--json", "remember", "Prod runs MySQL 9"]);
    let run = shell.output().expect("the program starts");
    let told: Value = serde_json::from_slice(&run.stdout).expect("the answer is JSON");
    assert_eq!((&told["superseded"], &told["contested"]), (&json!([]), &json!([first])), "{told}");
    assert_eq!(home.show(&first)["state"], "confirmed");
    assert_eq!(home.json(&["review"])["contested"].as_array().map(Vec::len), Some(1));
}

#[test]
fn another_value_said_later_by_the_same_person_replaces_the_first_and_the_answer_says_so() {
    for (one, other) in [
        ("Prod runs MySQL 8", "Prod runs MySQL 9"),
        ("The API listens on port 8080", "The API listens on port 9090"),
        ("The retention period is 30 days", "The retention period is 90 days"),
        ("The config lives in config/app.toml", "The config lives in deploy/app.toml"),
    ] {
        let home = Home::new();
        let first = home.remember(one);
        home.travel("2026-03-03");
        let second = home.json(&["remember", other]);
        assert_eq!(strings(&second["superseded"]), [first.as_str()], "{other}");
        assert_eq!(home.show(&first)["state"], "superseded");
        assert_eq!(current(&home), [other], "{other}");
        home.json(&["undo"]);
        let page = home.page(&["remember", other]);
        assert!(page.contains(&format!("replaces: {} {one}", handle(&first))), "{page}");
    }
}

#[test]
fn two_decisions_that_name_different_things_for_one_purpose_wait_for_a_person() {
    let home = Home::new();
    let mysql = home.remember("We decided to use MySQL for the orders database");
    home.travel("2026-03-03");
    let page = home.page(&["remember", "We decided to use SQLite for the orders database"]);
    let named = format!("disagrees with: {} We decided to use MySQL", handle(&mysql));
    assert!(page.contains(&named) && page.contains("throughline review"), "{page}");
    let review = home.json(&["review"]);
    assert_eq!(review["contested"].as_array().map(Vec::len), Some(1), "{review}");
    for side in ["a", "b"] {
        let flags = review["contested"][0][side]["flags"].clone();
        assert!(strings(&flags).contains(&"contested"), "{flags}");
    }
    let recall = home.json(&["recall", "which database do we use for orders?"]);
    let text = recall["text"].as_str().expect("a text");
    assert!(text.contains("MySQL") && text.contains("SQLite"), "both together: {text}");
    assert!(text.contains("contested"), "{text}");
    let brief = Agent::new(&home, "wednesday").starts();
    assert!(brief.contains("contested by"), "never silently side by side: {brief}");
}

#[test]
fn what_a_person_lets_hold_beside_each_other_is_not_held_against_each_other_again() {
    let home = Home::new();
    let first = home.remember("We use Kafka for the event bus");
    let second = home.remember("We use RabbitMQ for the event bus");
    home.json(&["review", "--both", &first]);
    for text in ["We use Kafka for the event bus", "we use rabbitmq for the event bus"] {
        let again = home.json(&["remember", text]);
        assert_eq!(again["deduped"], true, "{again}");
        assert_eq!(again["contested"], json!([]), "{again}");
    }
    for id in [&first, &second] {
        assert!(!strings(&home.show(id)["flags"]).contains(&"contested"));
    }
}

#[test]
fn an_agent_cannot_let_its_own_value_hold_beside_what_a_person_said() {
    let home = Home::new();
    let mut client = home.mcp();
    let theirs = client.call("remember", json!({ "content": "We use Kafka for the event bus" }));
    let theirs = theirs["id"].as_str().expect("an id").to_owned();
    let said = home.remember("We use RabbitMQ for the event bus");
    let before = home.show(&theirs);
    let link = |relation: &str| json!({ "from": theirs, "relation": relation, "to": said, "reason": "both hold" });
    assert!(client.text("relate", link("both_hold")).1, "only review makes it");
    client.text("relate", link("relates_to"));
    let again = home.json(&["remember", "We use RabbitMQ for the event bus"]);
    assert_eq!(home.show(&theirs)["flags"], before["flags"], "{again}");
    let fresh = home.json(&["remember", "we use rabbitmq for the event bus!"]);
    assert_eq!(home.show(&theirs)["flags"], before["flags"], "{fresh}");
}

#[test]
fn an_agents_other_value_never_takes_the_place_of_the_users_word() {
    let home = Home::new();
    let first = home.remember("Prod runs MySQL 8");
    let before = home.show(&first);
    let mut client = home.mcp();
    let kept = client.call("remember", json!({ "content": "Prod runs MySQL 9" }));
    assert_eq!(kept["contested"], json!([handle(&first)]), "{kept}");
    let (text, failed) = client.text("remember", json!({ "content": "Prod runs MySQL 10" }));
    assert!(!failed && text.contains("It disagrees with") && text.contains("MySQL 8"), "{text}");
    let after = home.show(&first);
    assert_eq!((&after["state"], &after["trust"]), (&"confirmed".into(), &before["trust"]));
    let kept = home.show(kept["id"].as_str().expect("an id"));
    assert_eq!(kept["state"], "staged");
    let pairs = home.json(&["review"])["contested"].clone();
    assert!(!pairs.as_array().expect("a list").is_empty(), "{pairs}");
    // The user settles it by saying it.
    let said = home.json(&["remember", "Prod runs MySQL 9"]);
    assert!(strings(&said["superseded"]).contains(&first.as_str()), "{said}");
}

#[test]
fn what_a_prompt_says_meets_what_was_remembered_by_hand() {
    let home = Home::new();
    home.remember("We decided to use MySQL for the orders database");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "tuesday");
    agent.hears("We decided to use SQLite for the orders database.");
    agent.answers("Fine.");
    agent.ends();
    let held = home.texts(&["list"]);
    assert_eq!(held, ["We decided to use SQLite for the orders database"], "the later decision");
}

#[test]
fn what_is_edited_into_another_value_is_held_against_the_first() {
    let home = Home::new();
    home.remember("Prod runs MySQL 8");
    let other = home.remember("Prod runs something else, MySQL 9");
    home.json(&["edit", &other, "Prod runs MySQL 9"]);
    let pairs = home.json(&["review"])["contested"].clone();
    assert_eq!(pairs.as_array().map(Vec::len), Some(1), "{pairs}");
}

#[test]
fn another_homes_value_is_held_against_ours() {
    let (home, theirs) = (Home::new(), Home::new());
    home.json(&["--scope", "global", "remember", "Prod runs MySQL 8"]);
    theirs.json(&["--scope", "global", "remember", "Prod runs MySQL 9"]);
    let file = home.arg("theirs.jsonl");
    theirs.json(&["export", "--output", &file]);
    home.json(&["import", &file]);
    let pairs = home.json(&["review"])["contested"].clone();
    assert_eq!(pairs.as_array().map(Vec::len), Some(1), "{pairs}");
}

#[test]
fn two_things_are_remembered_beside_each_other() {
    let home = Home::new();
    let all = [
        "The project uses TypeScript",
        "The project uses DuckDB",
        "Staging listens on port 5432",
        "Prod listens on port 5433",
        "Step 1 installs the tools",
        "Step 2 installs the tools",
    ];
    for text in all {
        let kept = home.json(&["remember", text]);
        assert_eq!((&kept["superseded"], &kept["contested"]), (&json!([]), &json!([])), "{text}");
        assert_eq!(kept["deduped"], false, "{text}");
    }
    assert_eq!(current(&home).len(), all.len());
    let (first, second) = ("latency 12 ms", "latency 15 ms");
    home.remember(first);
    let kept = home.json(&["remember", second]);
    assert_eq!(kept["deduped"], false, "{kept}");
    assert_eq!(strings(&kept["contested"]).len(), 1, "measured twice: {kept}");
}

#[test]
fn a_failure_without_its_cause_is_not_taken_in() {
    let home = Home::new();
    let bare = ["remember", "Redis streams failed", "--kind", "negative"];
    let (code, error) = home.error(&bare);
    assert_eq!((code, &error["code"]), (2, &"no_cause".into()), "{error}");
    assert!(error["hint"].as_str().expect("a hint").contains("--because"), "{error}");
    let told = home
        .mcp()
        .fail("remember", json!({ "content": "Redis streams failed", "kind": "negative" }));
    assert!(told.to_string().contains("because"), "{told}");
    for args in [
        &["Redis streams failed", "--because", "they lost entries on restart"][..],
        &["Redis pub/sub failed because it keeps nothing"],
        &["Redis lists failed: a crash lost the entries in flight"],
        &["println! in the parser breaks the JSON output"],
    ] {
        let kept = home.json(&[&["remember"], args, &["--kind", "negative"]].concat());
        assert!(!strings(&kept["memory"]["flags"]).contains(&"incomplete"), "{kept}");
    }
}

#[test]
fn the_kind_follows_from_the_form_where_none_is_named() {
    let home = Home::new();
    for (text, kind) in [
        ("I prefer tabs", "preference"),
        ("We decided to use Redis for the sessions", "decision"),
        ("Never push to main on a Friday", "principle"),
        ("The office is in Basel", "fact"),
    ] {
        let kept = home.json(&["remember", text]);
        assert_eq!(
            (&kept["memory"]["kind"], &kept["memory"]["content"]),
            (&kind.into(), &text.into())
        );
    }
    let kept = home.json(&["remember", "I prefer spaces", "--kind", "fact"]);
    assert_eq!(kept["memory"]["kind"], "fact", "what is named counts");
}

#[test]
fn what_the_program_keeps_itself_cannot_be_linked_by_hand() {
    let home = Home::new();
    let (a, b) = (home.remember("The office is in Basel"), home.remember("The lab is in Bern"));
    let mut client = home.mcp();
    for relation in ["tagged", "in_cluster", "in_box", "co_used", "about"] {
        let (code, error) = home.error(&["link", &a, relation, &b]);
        let message = error["message"].as_str().expect("a message");
        assert_eq!(code, 2, "{error}");
        assert!(message.contains("relates_to") && message.contains("because"), "{message}");
        if relation == "tagged" {
            continue; // by the tool, it puts a label on what is the agent's
        }
        let told = client.fail("relate", json!({ "from": a, "relation": relation, "to": b }));
        assert!(told.to_string().contains("relates_to"), "{told}");
    }
    home.json(&["link", &a, "relates_to", &b]);
}

#[test]
fn an_edit_says_what_was_and_what_is() {
    let home = Home::new();
    let id = home.remember("The office is in Basel");
    let page = home.page(&["edit", &id, "The office is in Bern"]);
    assert!(page.contains("text: “The office is in Basel” → “The office is in Bern”"), "{page}");
    let edited = home.json(&["edit", &id, "--kind", "decision"]);
    let expected = json!([{ "field": "kind", "before": "fact", "after": "decision" }]);
    assert_eq!(edited["changed"], expected);
}

#[test]
fn an_undo_says_what_was_undone() {
    let home = Home::new();
    let id = home.remember("The office is in Basel");
    home.json(&["archive", &id]);
    let page = home.page(&["undo"]);
    assert!(page.contains("“The office is in Basel” is confirmed again, not archived"), "{page}");
    let undone = home.json(&["undo"]);
    assert_eq!(undone["changes"][0]["before"]["content"], "The office is in Basel", "{undone}");
    assert_eq!(undone["changes"][0]["after"], Value::Null, "{undone}");
}

#[test]
fn remember_says_what_a_claim_is_bound_to() {
    let home = Home::new();
    let folder = home.project().join("src");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("http.rs"), "fn a() {}\nconst TIMEOUT: u32 = 30;\n")
        .expect("a file");
    let page = home.page(&["remember", "The HTTP timeout is 30 (src/http.rs:2)"]);
    assert!(page.contains("tied to: src/http.rs#L2"), "{page}");
}

#[test]
fn a_check_shows_the_line_as_it_was_noted_and_as_it_is_now() {
    let home = Home::new();
    let folder = home.project().join("src");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("http.rs");
    std::fs::write(&file, "fn a() {}\nconst TIMEOUT: u32 = 30;\n").expect("a file");
    let id = home.remember("The HTTP timeout is 30 (src/http.rs:2)");
    std::fs::write(&file, "fn a() {}\nconst TIMEOUT: u32 = 45;\n").expect("a file");
    let queue = home.json(&["verify"])["queue"].clone();
    let expected = "I have “The HTTP timeout is 30 (src/http.rs:2)” as of src/http.rs#L2 \
        “const TIMEOUT: u32 = 30;”; it is now “const TIMEOUT: u32 = 45;” — check before building on it";
    assert_eq!(queue[0]["message"], expected, "{queue}");
    // Of a line that holds a secret nothing is kept.
    let secret = ["AKIA", "ZQ3DXUJ7NW2M", "KLPT"].concat();
    std::fs::write(&file, format!("fn a() {{}}\nconst KEY: &str = \"{secret}\";\n"))
        .expect("a file");
    home.json(&["verify"]);
    assert_eq!(home.files_holding(&secret), Vec::<std::path::PathBuf>::new());
    assert_eq!(home.show(&id)["watermarks"][0]["status"], "moved");
}

#[test]
fn whether_a_binding_moved_has_one_answer() {
    let home = Home::new();
    let folder = home.project().join("src");
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("http.rs");
    std::fs::write(&file, "fn a() {}\nconst TIMEOUT: u32 = 30;\n").expect("a file");
    let id = home.remember("The HTTP timeout is 30 (src/http.rs:2)");
    std::fs::write(&file, "fn other() {}\nconst TIMEOUT: u32 = 30;\n").expect("a file");
    let looked = home.json(&["verify"]);
    assert_eq!((&looked["unchanged"], &looked["moved"]), (&1.into(), &json!([])), "{looked}");
    assert_eq!(looked["queue"], json!([]));
    let shown = home.show(&id);
    assert_eq!(shown["watermarks"][0]["status"], "unchanged", "{shown}");
    assert!(!strings(&shown["flags"]).contains(&"stale"), "{shown}");
    let brief = Agent::new(&home, "march").starts();
    assert!(brief.contains("The HTTP timeout is 30"), "{brief}");
    assert!(!brief.contains("check") && !brief.contains("First of all"), "as it is: {brief}");
}

#[test]
fn a_rule_and_its_opposite_contest_each_other_and_the_answer_names_what_it_met() {
    for (one, other) in [
        ("Always push to main", "Never push to main"),
        ("You must use tabs in YAML", "You must not use tabs in YAML"),
        ("You mustn't log card numbers", "You must log card numbers"),
        ("Do squash commits before merging", "Don't squash commits before merging"),
        ("Squash commits before merging", "Do not squash commits before merging"),
        ("Force pushes are allowed on main", "Force pushes are forbidden on main"),
        ("The billing worker is allowed to retry", "The billing worker is not allowed to retry"),
        ("We always rebase before merging", "We never rebase before merging"),
    ] {
        for (first, second) in [(one, other), (other, one)] {
            let home = Home::new();
            let held = home.remember(first);
            let said = home.json(&["remember", second]);
            let met = strings(&said["contested"]);
            assert_eq!(met, std::slice::from_ref(&held), "{first} / {second}: {said}");
            assert_eq!(current(&home).len(), 2, "both stay: {first} / {second}");
            let trusts = [home.show(&held)["trust"].clone(), said["trust"].clone()];
            assert!(trusts.iter().all(|one| one.as_f64() < Some(0.95)), "{trusts:?}");
            let reviewed = home.json(&["review"]).to_string();
            assert!(reviewed.contains(first) && reviewed.contains(second), "{reviewed}");
        }
    }
    let home = Home::new();
    home.remember("Always push to main");
    let page = home.run(&["remember", "Never push to main"]).stdout;
    assert!(page.contains("disagrees with:") && page.contains("Always push to main"), "{page}");
}

#[test]
fn a_rule_and_the_opposite_of_another_rule_stand_side_by_side() {
    for (one, other) in [
        ("Always push to main", "Never push to develop"),
        ("Always push to main", "Always push to main on Fridays"),
        ("Never push to main", "Never push to main"),
        ("Always run the linter before a commit", "Never skip the linter before a commit"),
        ("You must not use tabs in YAML", "You must use spaces in YAML"),
    ] {
        let home = Home::new();
        home.remember(one);
        let said = home.json(&["remember", other]);
        assert_eq!(strings(&said["contested"]), Vec::<String>::new(), "{one} / {other}: {said}");
    }
}
