//! Twelve weeks of work on three projects, played through the hooks: what is known at the end, what is not said any
//! more, and the way back to an empty store.

use serde_json::Value;

use crate::harness::{Home, Seen, strings};
use crate::hooking::{Agent, assert_sound};
use crate::story::Player;

const STORY: &str = include_str!("story/twelve_weeks.txt");

/// The memories of a project, in every state.
fn all(seen: &Seen<'_>) -> Vec<Value> {
    seen.json(&["list", "--all", "--limit", "500"])["items"].as_array().expect("a list").clone()
}

/// The memory whose text holds some words.
fn about<'a>(memories: &'a [Value], words: &str) -> &'a Value {
    let holds = |one: &&Value| one["content"].as_str().is_some_and(|text| text.contains(words));
    memories.iter().find(holds).unwrap_or_else(|| panic!("nothing about {words}: {memories:?}"))
}

/// What a new session is told for a question: its brief, and what comes with the prompt.
fn told(home: &Home, project: &str, question: &str) -> String {
    let folder = home.outside(project);
    let agent = Agent { home, session: format!("asked in {project}: {question}"), folder };
    let brief = agent.starts();
    let told = brief + &agent.hears(question);
    agent.ends();
    told
}

/// What proved itself is proposed for the project's file, and nothing else is.
fn assert_proposed(waiting: &Value) {
    let proposed: Vec<&str> = waiting["graduation"]
        .as_array()
        .expect("proposals")
        .iter()
        .map(|one| one["memory"]["content"].as_str().expect("a text"))
        .collect();
    assert_eq!(proposed.len(), 4, "{proposed:?}");
    for words in [
        "never use unwrap",
        "keep sessions in Postgres",
        "we use pnpm",
        "numbered per calendar year",
    ] {
        assert!(proposed.iter().any(|text| text.contains(words)), "{words}: {proposed:?}");
    }
}

#[test]
fn after_twelve_weeks_what_is_stale_is_not_asserted_and_what_proved_itself_is_at_hand() {
    let home = Home::new();
    let played = Player::new(&home).play(STORY);
    assert_eq!(played.sessions, 60);
    home.travel("2026-05-25");
    let [webshop, firmware, infra] = ["webshop", "firmware", "infra"].map(|name| home.from(name));
    let [shop, board, hosts] = [&webshop, &firmware, &infra].map(all);
    let waiting = webshop.json(&["review"]);

    // What changed is replaced, and its old value is not told.
    for (memories, old, new) in [
        (&shop, "staging runs Postgres 14", "staging's on Postgres 16"),
        (&shop, "the linter is eslint", "biome replaced eslint"),
        (&shop, "Dana owns the invoice exporter", "Ben owns the invoice exporter"),
        (&board, "24 magnets", "32 magnets"),
        (&hosts, "acme-tfstate", "acme-tf-eu"),
    ] {
        let (old, new) = (about(memories, old), about(memories, new));
        assert_eq!((&old["state"], &old["superseded_by"]), (&"superseded".into(), &new["id"]));
    }
    for (project, since, old) in [
        ("webshop", "2026-03-17", "Postgres 14"),
        ("webshop", "2026-05-16", "Dana owns"),
        ("firmware", "2026-03-26", "24 magnets"),
        ("infra", "2026-04-03", "acme-tfstate"),
    ] {
        let later = played.told.iter().filter(|one| one.project == project && *one.day >= *since);
        for one in later {
            assert!(!one.text.contains(old), "{} {}: {}", one.day, one.event, one.text);
        }
    }
    let asked = told(&home, "webshop", "which Postgres does staging run?");
    assert!(asked.contains("Postgres 16") && !asked.contains("Postgres 14"), "{asked}");
    let asked = told(&home, "infra", "where does the terraform state live?");
    assert!(asked.contains("acme-tf-eu") && !asked.contains("acme-tfstate"), "{asked}");

    // What a file said has moved: it is to be checked before it is relied on.
    let retries = about(&shop, "retries are capped");
    assert!(strings(&retries["flags"]).contains(&"stale"), "{retries}");
    let checks = waiting["verify"].to_string();
    assert!(checks.contains("RETRIES: u32 = 5") && checks.contains("it is now"), "{checks}");

    // What held for a while is over, and what it stood against is there.
    assert_eq!(about(&shop, "ping Maria")["state"], "confirmed");

    // What was used again and again is established, and there at once.
    for (memories, words) in
        [(&shop, "never use unwrap"), (&shop, "we use pnpm"), (&hosts, "deploys only")]
    {
        let flags = strings(&about(memories, words)["flags"]).join(" ");
        assert!(flags.contains("established"), "{words}: {flags}");
    }
    let brief = told(&home, "webshop", "good morning");
    assert!(brief.contains("never use unwrap") && brief.contains("we use pnpm"), "{brief}");

    // "Today I decided": what happened, and what holds since.
    assert_eq!(about(&shop, "today I decided to drop IE")["kind"], "event");
    assert_eq!(about(&shop, "I decided to drop IE")["kind"], "decision");

    // The question that was answered is closed, the other one is open.
    let open = waiting["gaps"].to_string();
    assert!(open.contains("payment") && !open.contains("search"), "{open}");

    assert_proposed(&waiting);

    // Nothing that was in use left view.
    let away = |one: &&Value| ["archived", "expired"].map(Value::from).contains(&one["state"]);
    for one in shop.iter().chain(&board).chain(&hosts).filter(away) {
        assert_eq!((&one["uses"], &one["pinned"]), (&0.into(), &false.into()), "{one}");
    }
    // Stretches of work and topics read sensibly.
    webshop.json(&["sleep", "--deep"]);
    let page = |args: &[&str]| home.tidy(&webshop.run(args).stdout);
    insta::assert_snapshot!("twelve_weeks_boxes", page(&["boxes"]));
    insta::assert_snapshot!("twelve_weeks_topics", page(&["topics"]));
    assert_sound(&home);
}

#[test]
fn every_step_of_twelve_weeks_can_be_undone_back_to_an_empty_store() {
    let home = Home::new();
    let weeks: Vec<&str> = STORY.split("\n== ").collect();
    // A part is enough to have every kind of step, and quick.
    let part = weeks[..weeks.len() / 3].join("\n== ");
    Player::new(&home).play(&part);
    for project in ["webshop", "firmware", "infra"] {
        let seen = home.from(project);
        seen.json(&["sleep", "--deep"]);
        let log = seen.json(&["log", "--limit", "2000"]);
        let batches = log["batches"].as_array().expect("batches").clone();
        assert!(batches.len() > 5, "{project}");
        for batch in &batches {
            let id = batch["id"].as_str().expect("an id");
            let run = seen.run(&["--json", "undo", id]);
            // A batch that only moved a mark left nothing to take back.
            let nothing = run.stderr.contains("changed nothing that is still there");
            assert!(run.code == 0 || nothing, "{project} {batch}: {}", run.stderr);
        }
        assert_eq!(all(&seen), Vec::<Value>::new(), "{project}");
    }
    assert_sound(&home);
}
