//! Twelve weeks of work on three projects, played through the hooks: what is known at the end, what is not said any
//! more, and the way back to an empty store.

use serde_json::Value;

use crate::harness::{Home, Seen, slow, strings};
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

/// What may be proposed for a project's file, and why it is right there: each is a rule that goes on holding, and was
/// asked about or broken in several sessions.
const RIGHT: [(&str, &str); 5] = [
    ("never use unwrap", "it was asked about or broken again and again"),
    ("we use pnpm", "a command failed without it, and session after session asked"),
    ("keep sessions in Postgres", "its reason was asked for, and twice where they are"),
    ("numbered per calendar year", "three sessions wrote code about invoices"),
    ("watchdog timeout is 1200 ms", "two sessions asked, and the first value was too short"),
];

/// What proved itself is proposed for the project's file, and nothing else is. How much there was time for in the
/// hooks decides over the less used ones: the two that the whole story is about are always there.
fn assert_proposed(projects: [&Seen<'_>; 3]) {
    let waiting = |seen: &Seen<'_>| seen.json(&["review"])["graduation"].clone();
    let waiting = projects.map(waiting);
    let proposals = waiting.iter().flat_map(|some| some.as_array().expect("proposals"));
    let texts = proposals.map(|one| one["memory"]["content"].as_str().expect("a text"));
    let proposed: Vec<&str> = texts.collect();
    for text in &proposed {
        assert!(RIGHT.iter().any(|(words, _)| text.contains(words)), "not right: {text}");
    }
    for (words, why) in &RIGHT[..2] {
        assert!(proposed.iter().any(|text| text.contains(words)), "{why}: {proposed:?}");
    }
}

/// Work goes on in a project for some days: each of them is one on which something was written.
fn work_goes_on(home: &Home, seen: &Seen<'_>, id: &str, days: std::ops::Range<u32>) {
    for day in days {
        home.travel(crate::fading::date(day));
        let remove: &[&str] = if day % 2 == 0 { &[] } else { &["--remove"] };
        seen.json(&[&["tag", id], remove, &["open"]].concat());
    }
}

/// When work goes on, what nobody needs is put away, and nothing that was in use.
fn assert_only_unused_leaves_view(home: &Home, projects: [&Seen<'_>; 3]) {
    let webshop = projects[0];
    let dull = |text: &str| webshop.remember_with(&[text, "--importance", "0.1"]);
    let pinned = dull("The diary of the webshop");
    webshop.json(&["pin", &pinned]);
    let unused = dull("The old logo was turquoise");
    let used = dull("The mascot of the webshop is a heron");
    for session in ["one", "two", "three"] {
        webshop.json(&["--session", session, "expand", &used]);
    }
    work_goes_on(home, webshop, &pinned, 76..168);
    webshop.json(&["sleep"]);
    let known: Vec<Value> = projects.into_iter().flat_map(all).collect();
    let archived: Vec<&Value> = known.iter().filter(|one| one["state"] == "archived").collect();
    assert!(archived.iter().any(|one| one["id"] == *unused), "{archived:?}");
    let away = |one: &&Value| ["archived", "expired"].map(Value::from).contains(&one["state"]);
    for one in known.iter().filter(away) {
        assert_eq!((&one["uses"], &one["pinned"]), (&0.into(), &false.into()), "{one}");
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

    assert_proposed([&webshop, &firmware, &infra]);

    // Stretches of work and topics read sensibly.
    webshop.json(&["sleep", "--deep"]);
    let page = |args: &[&str]| home.tidy(&webshop.run(args).stdout);
    insta::assert_snapshot!("twelve_weeks_boxes", page(&["boxes"]));
    insta::assert_snapshot!("twelve_weeks_topics", page(&["topics"]));

    assert_only_unused_leaves_view(&home, [&webshop, &firmware, &infra]);
    assert_sound(&home);
}

#[test]
fn every_step_of_twelve_weeks_can_be_undone_back_to_an_empty_store() {
    let home = Home::new();
    let sessions: Vec<&str> = STORY.split("\n== ").collect();
    // A third has every kind of step, and is quick; nightly all of it.
    let part = if slow() { sessions.len() } else { sessions.len() / 3 };
    Player::new(&home).play(&sessions[..part].join("\n== "));
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
