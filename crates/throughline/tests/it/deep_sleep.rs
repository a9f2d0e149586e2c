//! Deep sleep: everything is organised now and then. Each pass says what it looked at, did and why, and can be undone.

use serde_json::{Value, json};

use crate::harness::{Home, batches, id_of, strings};
use crate::transfer::clone_of;
use crate::{meeting, sleeping};

/// What a project knows about two topics, and something that belongs to neither.
pub(crate) const KNOWN: [&str; 13] = [
    "Staging runs Postgres 16 on port 5433",
    "The production Postgres database is backed up nightly",
    "Postgres migrations run before each deploy",
    "The staging Postgres database is wiped weekly",
    "Postgres connections go through pgbouncer",
    "Vite bundles the frontend in under two seconds",
    "The frontend CSS is written with Tailwind",
    "The frontend components live in src/ui/App.tsx",
    "The frontend uses React hooks and no classes",
    "CI builds the frontend bundle with Vite",
    "Invoices are sent on the first of the month",
    "The office coffee machine is called Bertha",
    "Support answers mails within a day",
];

pub(crate) fn known() -> Home {
    let home = Home::new();
    for text in KNOWN {
        home.remember(text);
    }
    home
}

/// Two homes with a clone of one project each.
pub(crate) fn two_machines() -> (Home, Home) {
    let both = (Home::new(), Home::new());
    for home in [&both.0, &both.1] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
    }
    both
}

pub(crate) fn pass<'a>(slept: &'a Value, name: &str) -> &'a Value {
    let passes = slept["passes"].as_array().expect("deep sleep lists its passes");
    passes.iter().find(|one| one["name"] == name).expect("the pass is there")
}

pub(crate) fn changes(slept: &Value) -> u64 {
    let passes = slept["passes"].as_array().expect("deep sleep lists its passes");
    passes.iter().map(|one| one["changes"].as_u64().expect("a number")).sum()
}

/// The topics of a kind with the texts in each.
fn topics(home: &Home, kind: &str) -> Vec<(String, Vec<String>)> {
    let found = home.json(&["topics"]);
    let of_kind =
        found["items"].as_array().expect("a list").iter().filter(|one| one["kind"] == kind);
    let text = |id: &&str| home.show(id)["content"].as_str().expect("a text").to_owned();
    of_kind
        .map(|one| {
            let mut texts: Vec<String> = strings(&one["memories"]).iter().map(text).collect();
            texts.sort();
            (one["name"].as_str().expect("a name").to_owned(), texts)
        })
        .collect()
}

#[test]
fn a_deep_sleep_tells_its_class_its_passes_and_when_the_next_is_due() {
    let home = known();
    let slept = home.json(&["sleep", "--deep"]);
    assert_eq!(slept["class"], "deep");
    let passes = slept["passes"].as_array().expect("a list");
    let names: Vec<&str> = passes.iter().filter_map(|one| one["name"].as_str()).collect();
    for name in
        ["entities", "tags", "clusters", "related", "contradictions", "labels", "guidelines"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    for one in passes {
        assert_eq!(one["failed"], false, "{one}");
        assert!(one["inputs"].is_u64() && one["why"].is_array(), "{one}");
        assert_eq!(one["batch"].is_string(), one["changes"].as_u64() > Some(0), "{one}");
    }
    assert_eq!(
        slept["batch"],
        slept["batches"].as_array().and_then(|all| all.last()).cloned().unwrap()
    );
    assert_eq!(slept["deep"]["due"], false, "it was just done");
    let next = slept["next_due"].as_str().expect("it says when");
    assert!(next.contains("3 sessions"), "{next}");
    assert_eq!(home.json(&["sleep"])["class"], "cheap");
    home.assert_sound();
}

#[test]
fn memories_that_lie_close_together_are_a_topic_and_the_others_are_in_none() {
    let home = known();
    home.json(&["sleep", "--deep"]);
    let found = topics(&home, "cluster");
    assert!(found.len() >= 2, "{found:?}");
    let holding = |word: &str| {
        let about = |(_, texts): &&(String, Vec<String>)| {
            texts.iter().filter(|text| text.contains(word)).count() > 1
        };
        found.iter().find(about).unwrap_or_else(|| panic!("{word}: {found:?}"))
    };
    let (name, texts) = holding("Postgres");
    assert!(name.contains("Postgres"), "{name}");
    assert!(texts.iter().all(|text| !text.contains("frontend")), "{texts:?}");
    assert!(holding("frontend").1.iter().all(|text| !text.contains("Postgres")));
    let all: Vec<&String> = found.iter().flat_map(|(_, texts)| texts).collect();
    assert!(!all.iter().any(|text| text.contains("Bertha")), "{all:?}");
    assert!(home.page(&["topics"]).contains("Postgres"));
}

#[test]
fn a_page_about_deep_sleep_leaves_out_what_did_nothing() {
    let home = known();
    let page = home.page(&["sleep", "--deep"]);
    assert!(page.contains("clusters"), "{page}");
    // How often a pass changed something stands in a column.
    let nothing = |line: &str| line.starts_with(&format!("{:>9} ", 0));
    assert!(!page.lines().any(nothing), "{page}");
    let again = home.page(&["sleep", "--deep"]);
    assert!(again.contains("nothing to organise"), "{again}");
    assert!(!again.lines().any(nothing), "{again}");
}

#[test]
fn a_second_deep_sleep_without_news_changes_nothing() {
    let home = known();
    assert!(changes(&home.json(&["sleep", "--deep"])) > 0);
    let (before, written) = (home.json(&["topics"]), batches(&home).len());
    let again = home.json(&["sleep", "--deep"]);
    assert_eq!(changes(&again), 0, "{again}");
    assert_eq!((home.json(&["topics"]), batches(&home).len()), (before, written));
}

#[test]
fn a_topic_stays_itself_when_it_grows() {
    let home = known();
    home.json(&["sleep", "--deep"]);
    let name = |home: &Home| {
        let found = topics(home, "cluster").into_iter();
        found.map(|(name, texts)| (name, texts.len())).find(|(name, _)| name.contains("Postgres"))
    };
    let (before, size) = name(&home).expect("a topic about Postgres");
    home.remember("The Postgres replica of production lags by a minute");
    let slept = home.json(&["sleep", "--deep"]);
    let (after, larger) = name(&home).expect("a topic about Postgres");
    assert_eq!(after, before);
    assert_eq!(larger, size + 1, "{slept}");
}

#[test]
fn every_pass_can_be_undone() {
    let home = known();
    home.remember_with(&["Releases are signed", "--tag", "deploys"]);
    home.remember_with(&["Releases are tagged by hand", "--tag", "deploy"]);
    let all =
        |home: &Home| (home.everything(), home.json(&["topics"]), home.json(&["entity", "list"]));
    let before = all(&home);
    let slept = home.json(&["sleep", "--deep"]);
    assert_ne!(all(&home), before);
    let done: Vec<&str> = strings(&slept["batches"]);
    for batch in done.iter().rev() {
        home.json(&["undo", batch]);
    }
    let (memories, topics, things) = all(&home);
    assert_eq!(topics, before.1);
    assert_eq!(things, before.2);
    let texts = |all: &Value| {
        let items = all["items"].as_array().expect("a list").iter();
        items
            .map(|one| {
                (id_of(one), one["tags"].clone(), one["domain"].clone(), one["state"].clone())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(&memories), texts(&before.0));
    home.assert_sound();
    // What was taken apart on purpose is not put together again.
    home.json(&["sleep", "--deep"]);
    let tags = home.json(&["entity", "list", "--kind", "tag"]);
    assert!(tags["items"].as_array().is_some_and(|all| all.len() >= 2), "{tags}");
}

#[test]
fn similar_tags_become_one_and_tags_on_nothing_are_dropped() {
    let home = Home::new();
    home.remember_with(&["Releases are signed", "--tag", "deploys"]);
    home.remember_with(&["Releases are tagged by hand", "--tag", "deploy"]);
    home.remember_with(&["Releases are announced by mail", "--tag", "deploy"]);
    let id = home.remember_with(&["The cellar floods in spring", "--tag", "weather"]);
    home.json(&["tag", &id, "--remove", "weather"]);
    let slept = home.json(&["sleep", "--deep"]);
    assert_ne!(pass(&slept, "tags")["changes"], 0);
    let found = home.json(&["entity", "list", "--kind", "tag"]);
    let names: Vec<&str> = found["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["deploy"]);
    assert_eq!(home.texts(&["list", "--tag", "deploy"]).len(), 3);
    assert_eq!(home.texts(&["list", "--tag", "deploys"]).len(), 3, "the old name still means it");
}

#[test]
fn what_denies_another_memory_is_put_before_a_person_and_decided_by_nobody_else() {
    // Said on two machines, so that neither was met when the other was said.
    let (home, there) = two_machines();
    let yes = home.remember("Deployments of the shop happen on Tuesdays");
    home.remember("The office coffee machine is called Bertha");
    there.remember("Deployments of the shop never happen on Tuesdays");
    let export = there.arg("theirs.jsonl");
    there.json(&["export", "-o", &export]);
    home.json(&["import", &export, "--trust"]);
    let no = id_of(&home.json(&["search", "never happen on Tuesdays"])["items"][0]);
    assert_ne!(yes, no);
    let flagged = |id: &str| strings(&home.show(id)["flags"]).contains(&"contested");
    assert!(!flagged(&yes) && !flagged(&no), "nobody has compared them yet");
    home.json(&["sleep", "--deep"]);
    assert!(flagged(&yes) && flagged(&no), "both are told with the other");
    for id in [&yes, &no] {
        assert_ne!(home.show(id)["state"], "retracted");
    }
    let waits = home.json(&["review"]);
    assert!(!waits["contested"].as_array().expect("a list").is_empty(), "{waits}");
}

/// More pairs that differ in what is done, one of them in two words.
const TURNED: [(&str, &str); 3] = [
    ("The billing worker reads the orders table", "The billing worker writes the orders table"),
    ("The edge agent pulls updates from the hub", "The edge agent pushes updates to the hub"),
    ("The exporter reads from the archive bucket", "The exporter writes to the archive bucket"),
];

#[test]
fn opposites_are_never_made_one_by_a_deep_sleep_and_lend_each_other_no_evidence() {
    let pairs = meeting::OPPOSITES.into_iter().chain(TURNED);
    let [opposites @ .., _same] = sleeping::OPPOSITES;
    for (one, other) in pairs.chain(opposites.map(|[one, other]| (one, other))) {
        let home = Home::new();
        let first = home.remember(one);
        home.travel("2026-03-03");
        let second = home.remember(other);
        let held = |id: &str| {
            let memory = home.show(id);
            (memory["state"].clone(), memory["evidence"].clone())
        };
        let before = [held(&first), held(&second)];
        let slept = home.json(&["sleep", "--deep"]);
        let after = [held(&first), held(&second)];
        assert_eq!(after, before, "{one} / {other}: {}", pass(&slept, "contradictions"));
    }
}

#[test]
fn the_same_fact_in_other_words_becomes_one_memory() {
    for (one, other) in [
        ("The CI runs on Buildkite", "Our CI is run on Buildkite"),
        ("Deployments are started by a robot", "A robot starts the deployments"),
    ] {
        let home = Home::new();
        home.remember(one);
        home.remember(other);
        let slept = home.json(&["sleep", "--deep"]);
        assert_eq!(home.texts(&["list"]).len(), 1, "{}", pass(&slept, "contradictions"));
    }
}

#[test]
fn tags_and_areas_that_nobody_gave_are_inferred_and_marked_as_such() {
    let home = known();
    let own = home.remember_with(&["The parser is in src/parse.rs", "--tag", "mine"]);
    let mixed = home.remember("The tokenizer is in src/tokens.rs");
    let person = home.remember("My colleague Dana owns the billing service");
    home.json(&["sleep", "--deep"]);
    let tags = |id: &str| (home.show(id)["tags"].clone(), home.show(id)["inferred_tags"].clone());
    assert_eq!(tags(&mixed), (serde_json::json!(["rust"]), serde_json::json!(["rust"])));
    assert_eq!(tags(&own), (serde_json::json!(["mine"]), serde_json::json!([])));
    assert_eq!(home.show(&mixed)["domain"], "technical");
    assert_eq!(home.show(&person)["domain"], "relationship");
    assert_eq!(home.show(&person)["content"], "My colleague Dana owns the billing service");
    assert!(home.texts(&["list", "--domain", "technical"]).len() >= 2);
}

#[test]
fn a_label_that_most_of_a_topic_carries_is_inferred_for_the_rest_of_it() {
    let home = Home::new();
    let ids = KNOWN[..5].iter().enumerate().map(|(n, text)| {
        let tag: &[&str] = if n < 4 { &["--tag", "storage"] } else { &[] };
        home.remember_with(&[&[*text], tag].concat())
    });
    let ids: Vec<String> = ids.collect();
    for text in &KNOWN[5..] {
        home.remember(text);
    }
    home.json(&["sleep", "--deep"]);
    home.remember("Dana waters the plants");
    home.json(&["sleep", "--deep"]);
    let rest = home.show(&ids[4]);
    assert_eq!(rest["inferred_tags"], json!(["storage"]), "{rest}");
    let given = home.show(&ids[0]);
    assert_eq!((&given["tags"], &given["inferred_tags"]), (&json!(["storage"]), &json!([])));
    let others = home.texts(&["list", "--tag", "storage"]);
    assert!(others.iter().all(|text| text.contains("Postgres")), "{others:?}");
}

#[test]
fn names_that_differ_only_in_how_they_are_written_become_one_thing() {
    let (home, there) = two_machines();
    home.remember("ReactJS renders the shop");
    there.remember("React.js renders the blog");
    let export = there.arg("theirs.jsonl");
    there.json(&["export", "-o", &export]);
    home.json(&["import", &export, "--trust"]);
    let things = || {
        let found = home.json(&["entity", "list"]);
        let all = found["items"].as_array().expect("a list").clone();
        all.iter().filter(|one| one["name"].to_string().contains("React")).count()
    };
    assert_eq!(things(), 2, "{}", home.json(&["entity", "list"]));
    let slept = home.json(&["sleep", "--deep"]);
    assert_eq!(things(), 1, "{}", pass(&slept, "entities"));
    home.assert_sound();
}

#[test]
fn near_memories_are_connected_and_a_connection_that_was_removed_stays_away() {
    let home = known();
    let slept = home.json(&["sleep", "--deep"]);
    assert_ne!(pass(&slept, "related")["changes"], 0);
    let graph = home.json(&["graph"]);
    let edges = graph["edges"].as_array().expect("a list");
    let edge = edges.iter().find(|edge| edge["relation"] == "relates_to").expect("a connection");
    let weight = edge["weight"].as_f64().expect("a number");
    assert!((0.6..=1.0).contains(&weight), "{edge}");
    let (from, to) = (edge["from"].as_str().expect("an id"), edge["to"].as_str().expect("an id"));
    home.json(&["unlink", from, "relates_to", to]);
    home.remember("Postgres is upgraded in autumn");
    home.json(&["sleep", "--deep"]);
    let graph = home.json(&["graph"]);
    let back = |edge: &&Value| {
        edge["relation"] == "relates_to" && edge["from"] == from && edge["to"] == to
    };
    assert!(graph["edges"].as_array().expect("a list").iter().find(back).is_none());
}

#[test]
fn the_guidelines_tell_numbers_and_no_words_of_any_memory() {
    let home = known();
    home.json(&["sleep", "--deep"]);
    let page = std::fs::read_to_string(home.path().join("guidelines.md")).expect("it was written");
    assert!(page.contains("| fact |"), "{page}");
    assert!(!page.contains("Postgres") && !page.contains("Bertha"), "{page}");
    // Where they cannot be written, everything else is done.
    std::fs::remove_file(home.path().join("guidelines.md")).expect("a file can be removed");
    std::fs::create_dir(home.path().join("guidelines.md")).expect("a folder can be made");
    home.remember("Postgres is upgraded in autumn");
    let slept = home.json(&["sleep", "--deep"]);
    assert_eq!(pass(&slept, "guidelines")["failed"], false);
    assert!(pass(&slept, "guidelines")["why"].to_string().contains("could not be written"));
}

#[test]
fn a_dry_run_says_what_would_be_done_and_writes_nothing() {
    let home = known();
    home.json(&["sleep"]);
    let (before, written) = (home.everything(), batches(&home).len());
    // Which files there are and what they hold, but for those that belong to the database.
    let files = || {
        let own = home.files().into_iter();
        let own = own.filter(|path| !path.to_string_lossy().contains("throughline.db"));
        own.map(|path| (path.clone(), std::fs::read(path).expect("a file")))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let held = files();
    let dry = home.json(&["sleep", "--deep", "--dry-run"]);
    assert!(changes(&dry) > 0, "{dry}");
    assert_eq!(files().keys().collect::<Vec<_>>(), held.keys().collect::<Vec<_>>());
    assert!(files() == held, "a file was changed");
    assert_eq!((home.everything(), batches(&home).len()), (before, written));
    assert!(home.json(&["topics"])["items"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn an_erased_memory_leaves_no_word_in_the_name_of_a_topic() {
    let home = known();
    let one = home.remember("The zephyrine Postgres replica serves reports");
    let two = home.remember("The zephyrine Postgres replica lags by a minute");
    let three = home.remember("The zephyrine Postgres replica is in Frankfurt");
    home.json(&["sleep", "--deep"]);
    for id in [&one, &two, &three] {
        home.json(&["purge", id, "--yes"]);
    }
    assert_eq!(home.files_holding("zephyrine"), Vec::<std::path::PathBuf>::new());
    home.json(&["sleep", "--deep"]);
    home.assert_sound();
}
