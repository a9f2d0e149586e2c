//! Organisation: what memories speak of, by whatever door they came, under whatever name.

use serde_json::{Value, json};

use crate::harness::{Home, Run, id_of, strings};
use crate::hooking::Agent;

/// The names of things of a kind.
fn names(home: &Home, kind: &str) -> Vec<String> {
    let found = home.json(&["entity", "list", "--kind", kind]);
    let items = found["items"].as_array().expect("a list").iter();
    items.map(|one| one["name"].as_str().expect("a name").to_owned()).collect()
}

fn said(recall: &Value) -> String {
    recall["text"].as_str().expect("a text").to_owned()
}

fn in_agents_shell(home: &Home, args: &[&str]) -> Run {
    home.command().env("CLAUDECODE", "1").args(args).output().expect("the program starts").into()
}

#[test]
fn things_are_met_at_every_door() {
    let home = Home::new();
    home.remember("Alice Miller is the tech lead");
    home.remember("Dana owns the billing service");
    let mut client = home.mcp();
    client.call("remember", json!({ "content": "JACQ uses DuckDB" }));
    client.call("remember", json!({ "content": "The limit is set in src/http.rs" }));
    client.leave();
    let agent = Agent::new(&home, "one");
    agent.starts();
    agent.hears("We decided to use Terraform for the staging cluster because it is reviewed.");
    agent.answers("Noted.");
    agent.ends();
    assert_eq!(names(&home, "person"), ["Alice Miller", "Dana"]);
    assert!(names(&home, "tool").contains(&"DuckDB".to_owned()));
    assert!(names(&home, "concept").contains(&"billing service".to_owned()));
    assert_eq!(names(&home, "file"), ["src/http.rs"]);
    let all = home.json(&["entity", "list"])["items"].to_string();
    assert!(all.contains("Terraform"), "{all}");
}

#[test]
fn people_who_are_told_of_in_a_session_are_remembered() {
    let home = Home::new();
    let agent = Agent::new(&home, "one");
    agent.starts();
    for told in [
        "My colleague Dana owns the billing service.",
        "I'm Tobias, a backend engineer.",
        "Alice Miller is the tech lead.",
    ] {
        agent.hears(told);
        agent.answers("Good to know.");
    }
    agent.ends();
    let known = names(&home, "person");
    for name in ["Dana", "Tobias", "Alice Miller"] {
        assert!(known.contains(&name.to_owned()), "{name}: {known:?}");
    }
    assert!(said(&home.json(&["recall", "who is Alice Miller?"])).contains("tech lead"));
}

#[test]
fn what_a_fact_says_of_a_thing_leads_to_what_is_known_of_that_thing() {
    let home = Home::new();
    home.remember("JACQ uses DuckDB");
    home.remember("DuckDB files must be opened read-only");
    home.remember("The cellar floods in spring");
    let page = said(&home.json(&["recall", "Tell me about JACQ"]));
    assert!(page.contains("opened read-only"), "{page}");
    assert!(!page.contains("cellar"), "{page}");
    // The value of a slot is a thing as well.
    home.remember_with(&["queue choice", "--slot", "mailer|uses|RabbitMQ|one"]);
    let shown = home.json(&["entity", "show", "RabbitMQ"]);
    assert_eq!(shown["memories"][0]["content"], "queue choice");
}

#[test]
fn naming_a_thing_brings_back_what_came_by_hand() {
    let home = Home::new();
    home.remember("Dana owns the billing service");
    home.remember("The cellar floods in spring");
    for asked in ["what about the billing service?", "what does Dana do?"] {
        let page = said(&home.json(&["recall", asked]));
        assert!(page.contains("Dana owns the billing service"), "{asked}: {page}");
    }
}

#[test]
fn two_spellings_of_a_name_fill_one_slot() {
    let home = Home::new();
    let old = home.remember_with(&["React.js is at 18", "--slot", "React.js|version|18|one"]);
    let new = home.json(&["remember", "ReactJS is at 19", "--slot", "ReactJS|version|19|one"]);
    assert_eq!(strings(&new["superseded"]), [old.as_str()]);
    let found = home.json(&["entity", "list"]);
    let alike = |one: &&Value| one["name"].as_str().is_some_and(|name| name.starts_with("React"));
    assert_eq!(
        found["items"].as_array().expect("a list").iter().filter(alike).count(),
        1,
        "{found}"
    );
}

#[test]
fn another_name_unifies_slots_that_stand_already() {
    let home = Home::new();
    let one = home.remember_with(&["the store is at 14", "--slot", "PostgreSQL|version|14|one"]);
    let two = home.remember_with(&["pg is at 16", "--slot", "pg|version|16|one"]);
    assert_eq!(home.show(&one)["state"], "confirmed");
    home.json(&["entity", "merge", "PostgreSQL", "pg"]);
    home.json(&["sleep", "--deep"]);
    assert_eq!(home.show(&one)["superseded_by"], two);
    assert_eq!(home.show(&two)["state"], "confirmed");
}

#[test]
fn a_merge_carries_everything_over_is_found_by_either_name_and_can_be_undone() {
    let home = Home::new();
    home.remember("Kubernetes runs the workers");
    home.remember("K8s nodes are replaced monthly");
    let before = home.json(&["entity", "list"]);
    let merged = home.json(&["entity", "merge", "Kubernetes", "K8s"]);
    assert_eq!(merged["entity"]["name"], "Kubernetes");
    assert_eq!(merged["entity"]["aliases"], json!(["K8s"]));
    assert_eq!(merged["entity"]["memories"], 2);
    for name in ["Kubernetes", "k8s"] {
        let about = home.json(&["about", name]);
        assert_eq!(about["name"], "Kubernetes");
        assert_eq!(about["memories"].as_array().map(Vec::len), Some(2), "{about}");
    }
    assert_eq!(home.error(&["entity", "merge", "Kubernetes", "K8s"]).0, 1);
    home.json(&["undo", merged["batch"].as_str().expect("a batch")]);
    assert_eq!(home.json(&["entity", "list"]), before);
    home.json(&["sleep", "--deep"]);
    assert_eq!(home.json(&["entity", "show", "K8s"])["name"], "K8s");
    home.assert_sound();
}

#[test]
fn a_name_that_is_another_things_is_refused() {
    let home = Home::new();
    home.remember("Kubernetes runs the workers");
    home.remember("Nomad runs the batch jobs");
    home.json(&["entity", "alias", "Kubernetes", "kube"]);
    assert_eq!(home.json(&["entity", "show", "kube"])["name"], "Kubernetes");
    let (code, error) = home.error(&["entity", "alias", "Kubernetes", "Nomad"]);
    assert_eq!(code, 1);
    assert!(error["message"].to_string().contains("entity merge"), "{error}");
    assert_eq!(home.error(&["entity", "show", "Mesos"]).0, 3);
    assert_eq!(home.error(&["about", "Mesos"]).0, 3);
    assert_eq!(home.error(&["entity", "alias", "Kubernetes", " "]).0, 2);
}

#[test]
fn an_agent_does_not_rename_or_merge_what_a_person_named() {
    let home = Home::new();
    home.remember("Kubernetes runs the workers");
    let mut client = home.mcp();
    client.call("remember", json!({ "content": "Nomad runs the batch jobs" }));
    client.call("remember", json!({ "content": "Mesos runs the old jobs" }));
    client.leave();
    for args in [
        ["--json", "entity", "alias", "Kubernetes", "kube"],
        ["--json", "entity", "merge", "Nomad", "Kubernetes"],
        ["--json", "entity", "merge", "Kubernetes", "Nomad"],
    ] {
        let run = in_agents_shell(&home, &args);
        assert_ne!(run.code, 0, "{args:?}");
        assert!(run.stderr.contains("only the user can"), "{}", run.stderr);
    }
    let own = in_agents_shell(&home, &["--json", "entity", "merge", "Nomad", "Mesos"]);
    assert_eq!(own.code, 0, "{}", own.stderr);
    let links = in_agents_shell(&home, &["--json", "project", "link", "x"]);
    assert_ne!(links.code, 0);
}

#[test]
fn a_page_tells_what_is_known_of_a_thing_a_person_the_project_and_the_user() {
    let home = Home::new();
    home.remember("DuckDB holds the reports");
    home.remember_with(&[
        "We chose DuckDB over SQLite",
        "--kind",
        "decision",
        "--because",
        "it is columnar",
    ]);
    let old = home.remember("DuckDB is at version 1");
    home.json(&["correct", &old, "DuckDB is at version 2"]);
    home.remember_with(&["I prefer short commit messages", "--kind", "preference"]);
    let page = home.json(&["about", "DuckDB"]);
    let text = page["text"].as_str().expect("a text");
    for part in [
        "# DuckDB",
        "How things are",
        "DuckDB holds the reports",
        "Decided",
        "because it is columnar",
        "Before",
        "DuckDB is at version 1",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(page["memories"].as_array().map(Vec::len), Some(3));
    assert!(said(&home.json(&["about", "me"])).contains("short commit messages"));
    let project = home.json(&["about", "my project"]);
    assert_eq!(project["name"], "webshop");
    assert!(said(&project).contains("DuckDB holds the reports"));
    assert!(home.page(&["about", "DuckDB"]).contains("How things are"));
}

#[test]
fn my_project_is_the_one_at_hand() {
    let home = Home::new();
    home.remember("webshop is written in Rust");
    home.remember("The cellar floods in spring");
    let page = said(&home.json(&["recall", "what language is my project in?"]));
    assert!(page.contains("written in Rust"), "{page}");
    assert!(!page.contains("cellar"), "{page}");
    assert_eq!(names(&home, "project"), ["webshop"]);
}

#[test]
fn a_question_that_names_nothing_finds_the_thing_it_means() {
    let home = Home::new();
    for text in [
        "DuckDB stores the analytics tables",
        "DuckDB answers the reporting queries",
        "DuckDB keeps its database in one file",
        "Dana owns the billing service",
        "Dana reviews every change of the invoices",
    ] {
        home.remember(text);
    }
    assert_eq!(home.error(&["about", "the analytical database for reports"]).0, 3);
    home.json(&["sleep", "--deep"]);
    assert_eq!(home.json(&["about", "the analytical database for reports"])["name"], "DuckDB");
}

#[test]
fn similar_memories_are_found_without_common_words() {
    let home = Home::new();
    let id = home.remember("The database is backed up every night");
    home.remember("Nightly snapshots of Postgres are kept for a month");
    home.remember("The office coffee machine is called Bertha");
    let found = home.json(&["similar", &id]);
    let items = found["items"].as_array().expect("a list");
    assert_eq!(items[0]["memory"]["content"], "Nightly snapshots of Postgres are kept for a month");
    let score = items[0]["score"].as_f64().expect("a number");
    assert!((0.3..=1.0).contains(&score), "{found}");
    assert!(items.iter().all(|one| id_of(&one["memory"]) != id));
    assert_eq!(home.error(&["similar", "00000000"]).0, 3);
}

#[test]
fn a_linked_project_gives_a_count_and_a_name_and_no_content() {
    let home = Home::new();
    let other = home.from("billing");
    other.json(&["remember", "DuckDB holds the secret margins"]);
    other.json(&["remember", "DuckDB is backed up by Dana"]);
    home.remember("JACQ uses DuckDB");
    let asked = ["recall", "what do we know about DuckDB?"];
    assert_eq!(home.json(&asked)["elsewhere"], json!([]), "walls stand until somebody opens them");
    let listed = home.json(&["project", "list"]);
    let key = listed["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["key"].as_str())
        .find(|key| key.ends_with("billing"))
        .expect("the other project")
        .to_owned();
    home.json(&["project", "link", &key]);
    let found = home.json(&asked);
    assert_eq!(found["elsewhere"], json!([{ "project": "billing", "label": "duckdb", "n": 2 }]));
    let page = said(&found);
    assert!(page.contains("2 memories about duckdb in the linked project billing"), "{page}");
    assert!(!page.contains("margins") && !page.contains("Dana"), "{page}");
    assert_eq!(other.json(&asked)["elsewhere"], json!([]), "the other one was not asked to");
    home.json(&["project", "unlink", &key]);
    assert_eq!(home.json(&asked)["elsewhere"], json!([]));
    assert_eq!(home.error(&["project", "link", "nowhere"]).0, 3);
    assert_eq!(home.error(&["project", "unlink", &key]).0, 3);
}

#[test]
fn hundreds_of_different_tags_stay_apart() {
    let home = Home::new();
    for n in 0..6 {
        let tags: Vec<String> = (0..50).map(|at| format!("label-{n}-{at}")).collect();
        let mut args = vec!["remember".to_owned(), format!("Shelf {n} holds red boxes")];
        args.extend(tags.iter().flat_map(|tag| ["--tag".to_owned(), tag.clone()]));
        home.json(&args.iter().map(String::as_str).collect::<Vec<_>>());
    }
    let slept = home.json(&["sleep", "--deep"]);
    let tags = slept["passes"].as_array().expect("a list").iter().find(|one| one["name"] == "tags");
    assert_eq!(tags.expect("the pass")["inputs"], 300);
    assert_eq!(tags.expect("the pass")["changes"], 0);
}

#[test]
fn a_page_about_a_name_without_an_entity_is_made_of_the_memories_that_hold_it() {
    let home = Home::new();
    home.remember("Marco left the company, and dmitri maintains the ingest pipeline now");
    home.remember("I rotated the signing keys");
    for (name, words) in [("dmitri", "ingest pipeline"), ("signing keys", "rotated")] {
        let page = home.json(&["about", name]);
        assert_eq!(page["name"], name, "{page}");
        assert!(page["text"].as_str().is_some_and(|text| text.contains(words)), "{page}");
    }
    assert_eq!(home.error(&["about", "zanzibar expedition"]).0, 3);
}

#[test]
fn a_name_of_two_words_is_one_thing_and_a_unit_is_none() {
    let home = Home::new();
    home.remember("The pipeline runs on GitHub Actions since March");
    let agent = Agent::new(&home, "one");
    agent.hears("Remember that releases are built by GitHub Actions with 16 GB of memory.");
    agent.ends();
    let all = home.json(&["entity", "list"]);
    let names: Vec<&str> = all["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert!(names.contains(&"GitHub Actions"), "{names:?}");
    for part in ["GitHub", "Actions", "GB"] {
        assert!(!names.contains(&part), "{part}: {names:?}");
    }
    home.remember("GitHub was down on Friday");
    let names = home.json(&["entity", "list"]).to_string();
    assert!(names.contains("\"GitHub\""), "by itself it is a thing of its own: {names}");
}
