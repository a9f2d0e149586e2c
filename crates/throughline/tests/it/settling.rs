//! Settling: what replaces what, what stays gone, what comes back, and what is shown side by side.

use serde_json::{Value, json};

use crate::harness::{Home, batches, handle, id_of, strings};
use crate::hooking::Agent;
use crate::transfer::clone_of;
use crate::watching::{brief, write};

const OLD: &str = "The staging database runs on Postgres 14.";
const FIX: &str = "Actually the staging database runs on Postgres 16 now, not 14.";
const ASK: &str = "Which version of Postgres does the staging database run on?";

/// A session in which these things are said, one after the other.
pub(crate) fn session(home: &Home, name: &str, prompts: &[&str]) {
    let agent = Agent::new(home, name);
    agent.starts();
    for (n, prompt) in prompts.iter().enumerate() {
        agent.hears(prompt);
        agent.answers(&format!("All right, number {n}."));
    }
    agent.ends();
}

/// What is held, with the words of it.
fn holding(home: &Home, words: &str) -> Vec<String> {
    let of = |kind: &str| home.texts(&["list", "--kind", kind]);
    let claims = ["fact", "decision"].into_iter().flat_map(of);
    claims.filter(|text| text.contains(words)).collect()
}

/// Version 16 is held and told, and version 14 only where 16 stands before it.
fn assert_corrected(home: &Home, when: &str) {
    assert_eq!(holding(home, "Postgres 14"), Vec::<String>::new(), "{when}");
    assert_eq!(holding(home, "Postgres 16").len(), 1, "{when}");
    let pages = [home.page(&["recall", ASK]), brief(home, "a new one"), home.page(&["list"])];
    for page in pages {
        assert!(page.contains("Postgres 16"), "{when}: {page}");
        for line in page.lines().filter(|line| line.contains("Postgres 14")) {
            let first = line.find("Postgres 16") < line.find("Postgres 14");
            assert!(first && line.contains("Postgres 16"), "{when}: {line}");
        }
    }
}

/// Hands in a patch as somebody's.
pub(crate) fn patch(home: &Home, voice: &str, operations: &Value) {
    let patch = json!({"version": 1, "operations": operations});
    std::fs::write(home.outside("patch.json"), patch.to_string()).expect("a file can be written");
    home.page(&["patch", &home.arg("patch.json"), "--voice", voice]);
}

/// Turns of a past session, as a file.
fn transcript(home: &Home) -> String {
    let turn = |n: u32, who: &str, text: &str| {
        json!({"session": "february", "at": format!("2026-02-23T10:0{n}:00Z"), "speaker": who,
            "text": text, "id": format!("t{n}")})
    };
    let turns = [
        turn(1, "user", OLD),
        turn(2, "assistant", "Noted."),
        turn(3, "user", "Always run cargo fmt before committing."),
    ];
    let lines: String = turns.iter().map(|turn| format!("{turn}\n")).collect();
    std::fs::write(home.outside("february.jsonl"), lines).expect("a file can be written");
    home.arg("february.jsonl")
}

#[test]
fn a_correction_is_taken_up_at_the_next_prompt() {
    let home = Home::new();
    session(&home, "march", &[OLD]);
    assert_eq!(holding(&home, "Postgres 14").len(), 1);
    let agent = Agent::new(&home, "may");
    let other = Agent::new(&home, "other");
    agent.starts();
    let told = agent.hears(FIX);
    assert!(told.lines().all(|line| !line.contains("Postgres 14")), "{told}");
    // Nobody has answered yet, and another session asks.
    let told = other.hears(ASK);
    assert!(told.contains("Postgres 16"), "{told}");
    assert_corrected(&home, "in the same turn");
    let old = home.json(&["list", "--state", "superseded"])["items"][0].clone();
    assert!(old["content"].as_str().unwrap().contains("Postgres 14"), "history is kept: {old}");
    assert!(home.page(&["history", &id_of(&old)]).contains("Postgres 14"));
}

#[test]
fn what_was_retired_stays_gone_through_sleeps_and_transcripts_and_imports_and_retelling() {
    type Retire = fn(&Home, &str);
    let ways: [(&str, Retire); 4] = [
        ("corrected", |home, _| session(home, "may", &[FIX])),
        ("forgotten", |home, id| drop(home.json(&["forget", id]))),
        ("refuted", |home, id| drop(home.json(&["verify", id, "--refuted"]))),
        ("purged", |home, id| drop(home.json(&["purge", id, "--yes"]))),
    ];
    for (how, retire) in ways {
        let home = Home::new();
        let said = transcript(&home);
        home.json(&["ingest", &said]);
        let held = home.json(&["list"]);
        let items = held["items"].as_array().unwrap();
        let old = items.iter().find(|one| one["content"].as_str().unwrap().contains("Postgres 14"));
        let id = id_of(old.unwrap_or_else(|| panic!("{how}: {held}")));
        home.json(&["export", "-o", &home.arg("older.jsonl")]);
        retire(&home, &id);
        home.travel("2026-06-01");
        let gone = |when: &str| {
            assert_eq!(holding(&home, "Postgres 14"), Vec::<String>::new(), "{how}, {when}");
            if how == "corrected" {
                assert_corrected(&home, when);
            }
        };
        gone("at once");
        for n in 0..5 {
            home.remember(&format!("Room {n} of the office is painted in colour number {n}"));
            home.json(&["sleep"]);
            home.json(&["sleep", "--deep"]);
        }
        gone("after five sleeps of both classes");
        home.json(&["ingest", &said]);
        gone("after the same transcript");
        home.json(&["import", &home.arg("older.jsonl")]);
        gone("after an older export");
        patch(
            &home,
            "assistant",
            &json!([{"op": "remember", "kind": "fact", "content": OLD,
            "confidence": 0.9}]),
        );
        gone("after an agent's patch");
        let agent = Agent::new(&home, "retelling");
        agent.starts();
        agent.hears("What do we know about staging?");
        agent.answers(OLD);
        agent.ends();
        home.json(&["sleep"]);
        gone("after an agent's words");
        let waits = home.json(&["review"])["pending"].as_array().map(Vec::len);
        assert!(waits > Some(0), "{how}: what was kept out waits for a person");
        home.assert_sound();
    }
}

#[test]
fn another_machines_copy_does_not_bring_back_what_was_corrected_here() {
    let (there, here) = (Home::new(), Home::new());
    for home in [&there, &here] {
        clone_of(&home.project(), "https://example.com/acme/webshop.git");
        session(home, "march", &[OLD]);
    }
    there.json(&["export", "-o", &there.arg("theirs.jsonl")]);
    here.travel("2026-05-11");
    session(&here, "may", &[FIX]);
    assert_corrected(&here, "before");
    here.json(&["import", &there.arg("theirs.jsonl"), "--trust"]);
    assert_corrected(&here, "after their export");
    here.json(&["sleep"]);
    assert_corrected(&here, "after a sleep");
}

/// Corrected in May, and said otherwise in June.
fn said_in_june(again: &str) -> Home {
    let home = Home::new();
    session(&home, "march", &[OLD]);
    home.travel("2026-05-11");
    session(&home, "may", &[FIX]);
    assert_corrected(&home, "in May");
    home.travel("2026-06-20");
    session(&home, "june", &[again]);
    home
}

fn assert_back(again: &str) {
    let home = said_in_june(again);
    assert_eq!(holding(&home, "Postgres 14").len(), 1, "{again}: {:?}", home.texts(&["list"]));
    assert_eq!(holding(&home, "Postgres 16"), Vec::<String>::new(), "{again}");
    let told = home.page(&["recall", ASK]);
    assert!(told.contains("Postgres 14"), "{again}: {told}");
    home.assert_sound();
}

#[test]
fn what_a_person_says_again_comes_back() {
    assert_back(OLD);
}

#[test]
fn a_correction_of_the_correction_brings_back_what_was_first() {
    assert_back("Actually, the staging database runs on Postgres 14 again, not 16.");
}

#[test]
fn going_back_to_what_was_before_brings_it_back() {
    assert_back("We went back to Postgres 14 for the staging database.");
}

#[test]
fn a_correction_changes_nothing_that_is_not_corrected() {
    let home = Home::new();
    write(&home, "src/cart.rs", "pub const LINES: u32 = 40;\n");
    let others = [
        home.remember("The production database runs on Postgres 14"),
        home.remember("The staging database is backed up at 14:00"),
        home.remember("The staging server has 14 cores"),
        home.remember_with(&["LINES in src/cart.rs is 40", "--watch", "file:src/cart.rs"]),
        home.remember_with(&["Sessions live in Postgres", "--kind", "decision"]),
        home.remember_with(&["Postgres 15 was skipped", "--authority", "inferred"]),
    ];
    session(&home, "march", &[OLD]);
    let seen = |id: &String| {
        let memory = home.show(id);
        [
            "content",
            "state",
            "trust",
            "flags",
            "evidence",
            "watermarks",
            "last_verified_at",
            "contested_by",
            "superseded_by",
        ]
        .map(|field| memory[field].to_string())
    };
    // What is asked about something else is answered alike.
    let recalled = || {
        [
            "what runs on the production database?",
            "when is the staging database backed up?",
            "how many cores has the staging server?",
            "how many LINES does the cart have?",
            "where do sessions live?",
        ]
        .map(|query| {
            let texts = home.texts(&["recall", query]);
            texts.into_iter().find(|text| !text.contains("staging database runs"))
        })
    };
    let told = recalled();
    assert!(told.iter().all(Option::is_some), "{told:?}");
    let before = others.each_ref().map(seen);
    session(&home, "may", &[FIX]);
    home.json(&["sleep"]);
    assert_eq!(recalled(), told);
    let held = holding(&home, "staging database runs");
    assert!(held.len() == 1 && held[0].contains("Postgres 16"), "{held:?}");
    assert_eq!(others.each_ref().map(seen), before);
}

#[test]
fn a_correction_leaves_the_twin_in_another_project_alone() {
    let home = Home::new();
    let twin = home.from("blog").remember_with(&[OLD]);
    let everywhere = home.from("blog").remember_with(&[OLD, "--scope", "global"]);
    let before = home.from("blog").json(&["show", &twin]);
    session(&home, "march", &[OLD]);
    session(&home, "may", &[FIX]);
    assert_eq!(holding(&home, "Postgres 16").len(), 1);
    assert_eq!(home.json(&["list", "--state", "superseded"])["total"], 1);
    let after = home.from("blog").json(&["show", &twin]);
    for field in ["state", "trust", "flags", "evidence"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    let global = home.from("blog").json(&["show", &everywhere]);
    assert_eq!(global["state"], "confirmed", "what holds everywhere is not this project's");
    let told = home.from("blog").json(&["recall", ASK])["text"].to_string();
    assert!(told.contains("Postgres 14") && !told.contains("Postgres 16"), "{told}");
}

#[test]
fn several_values_stay_a_single_one_is_replaced_and_the_weaker_replaces_nobody() {
    let home = Home::new();
    session(&home, "one", &["We use TypeScript.", "I live in New York."]);
    home.travel("2026-04-01");
    session(&home, "two", &["We use DuckDB.", "I live in San Francisco now."]);
    for words in ["TypeScript", "DuckDB", "San Francisco"] {
        assert_eq!(holding(&home, words).len(), 1, "{words}: {:?}", home.texts(&["list"]));
    }
    assert_eq!(holding(&home, "New York"), Vec::<String>::new());
    patch(
        &home,
        "assistant",
        &json!([{"op": "remember", "kind": "fact", "confidence": 0.9,
        "content": "The user lives in Boston", "slot": {"subject": "user", "predicate": "lives in",
        "object": "Boston", "cardinality": "one"}}]),
    );
    let said = home.json(&["list"]);
    let items = said["items"].as_array().unwrap();
    let find = |words: &str| items.iter().find(|one| one["content"].to_string().contains(words));
    assert_ne!(find("San Francisco").unwrap()["state"], "superseded", "{said}");
    assert_eq!(find("San Francisco").unwrap()["flags"], json!([]), "{said}");
    assert_eq!(find("Boston").unwrap()["state"], "staged", "{said}");
}

#[test]
fn another_number_is_another_claim_and_adds_no_evidence() {
    let home = Home::new();
    let twelve = home.remember("The latency of the search is 12 ms");
    let fifteen = home.json(&["remember", "The latency of the search is 15 ms"]);
    assert_eq!(fifteen["deduped"], false);
    assert_eq!(strings(&fifteen["superseded"]), [twelve.as_str()], "the user's later word holds");
    patch(
        &home,
        "assistant",
        &json!([{"op": "remember", "kind": "fact", "confidence": 0.9,
        "content": "The latency of the search is 18 ms"}]),
    );
    home.json(&["sleep"]);
    assert_eq!(holding(&home, "latency of the search").len(), 2, "{:?}", home.texts(&["list"]));
    let pairs = home.json(&["review"])["contested"].clone();
    assert_eq!(pairs.as_array().map(Vec::len), Some(1), "the agent's waits: {pairs}");
    assert_eq!(home.show(&twelve)["evidence"].as_array().map(Vec::len), Some(1));
}

#[test]
fn case_and_punctuation_make_no_second_memory_but_one_more_support() {
    let home = Home::new();
    let first = home.session("one").remember_with(&["Staging runs Postgres 16."]);
    let before = home.show(&first)["trust"].clone();
    let again = home.session("two").json(&["remember", "staging  runs POSTGRES 16!"]);
    assert_eq!((&again["deduped"], &again["memory"]["id"]), (&json!(true), &json!(first)));
    let memory = home.show(&first);
    assert_eq!(memory["evidence"].as_array().map(Vec::len), Some(2));
    assert!(memory["trust"].as_f64() > before.as_f64(), "{memory}");
    assert_eq!(home.everything()["total"], 1);
}

#[test]
fn evidence_of_one_session_counts_once() {
    let home = Home::new();
    let claim = "Staging runs Postgres 16";
    let id = home.session("one").remember_with(&[claim]);
    let alone = home.show(&id)["trust"].clone();
    for authority in ["user_stated", "measured", "observed", "inferred"] {
        home.session("one").json(&["remember", claim, "--authority", authority]);
        assert_eq!(home.show(&id)["trust"], alone, "{authority}");
    }
    home.session("two").json(&["remember", claim, "--authority", "measured"]);
    let both = home.show(&id)["trust"].clone();
    assert!(both.as_f64() > alone.as_f64(), "{both}");
    home.session("three").json(&["remember", claim, "--authority", "measured"]);
    assert_eq!(home.show(&id)["trust"], both, "a second measurement is the same voice");
}

#[test]
fn of_a_chain_only_the_end_is_recalled_others_take_the_room_and_taking_back_restores() {
    let home = Home::new();
    let days = ["Monday", "Tuesday", "Friday"];
    let [a, b, c] = days.map(|day| home.remember(&format!("Deploys of the webshop are on {day}")));
    home.remember("Deploys of the webshop take an hour");
    home.json(&["supersede", &a, &b]);
    home.json(&["supersede", &b, &c]);
    let found = home.texts(&["recall", "When are deploys of the webshop?", "--limit", "2"]);
    assert_eq!(found.len(), 2, "the room of what was replaced is used: {found:?}");
    assert!(found.iter().any(|text| text.contains("Friday")), "{found:?}");
    assert!(!found.iter().any(|text| text.contains("day") && !text.contains("Friday")));
    for (old, new) in [(&a, &c), (&b, &a), (&c, &a)] {
        let (code, error) = home.error(&["supersede", old, new]);
        assert_eq!(code, 1, "{error}");
        assert!(["not_current", "circle"].contains(&error["code"].as_str().unwrap()), "{error}");
    }
    home.json(&["unsupersede", &b]);
    let held = home.texts(&["list"]);
    assert!(held.iter().any(|text| text.contains("Tuesday")), "{held:?}");
    home.json(&["undo"]);
    assert_eq!(holding(&home, "Tuesday"), Vec::<String>::new());
    home.assert_sound();
}

/// Two memories of equal rank that say different things.
fn contested(home: &Home, port: [&str; 2]) -> [String; 2] {
    port.map(|port| {
        let (text, slot) =
            (format!("Staging listens on {port}"), format!("staging|port|{port}|one"));
        home.remember_with(&[&text, "--slot", &slot, "--authority", "observed"])
    })
}

#[test]
fn a_contested_pair_is_told_together_and_flagged() {
    let home = Home::new();
    let [a, b] = contested(&home, ["8080", "9090"]);
    home.remember("Staging is restarted every night");
    for query in ["On which port does staging listen?", "Is 8080 the port of staging?"] {
        let page = home.page(&["recall", query]);
        let lines: Vec<&str> = page.lines().filter(|line| line.contains("listens on")).collect();
        assert_eq!(lines.len(), 2, "both or none: {page}");
        for (line, (own, other)) in lines.iter().zip([(&a, &b), (&b, &a)]) {
            let named = [own, other].map(|id| line.contains(handle(id)));
            assert_eq!(named, [true, true], "{page}");
            assert!(line.contains("contested by ["), "{page}");
        }
    }
    let agent = Agent::new(&home, "march");
    agent.starts();
    let told = agent.hears("On which port does staging listen?");
    assert_eq!(told.matches("contested by [").count(), 2, "{told}");
    let waits = home.json(&["review"])["contested"].as_array().map(Vec::len);
    assert_eq!(waits, Some(1));
}

#[test]
fn a_merge_takes_the_place_of_both_sides() {
    let home = Home::new();
    let [a, b] = contested(&home, ["8080", "9090"]);
    let pair = format!("{}/{}", handle(&a), handle(&b));
    let words = "Staging listens on 8080 inside and 9090 outside";
    let answer = home.json(&["review", "--merge", &pair, "--text", words]);
    assert_eq!(answer["decided"]["ruling"], "merge");
    let merged = strings(&answer["decided"]["ids"])[0].to_owned();
    for id in [&a, &b] {
        assert_eq!(home.show(id)["superseded_by"], merged.as_str());
    }
    assert_eq!(home.texts(&["list", "--kind", "fact"]), [words]);
    assert_eq!(home.show(&merged)["flags"], json!([]));
    assert_eq!(answer["contested"], json!([]));
    assert_eq!(home.run(&["review", "--merge", &pair]).code, 2, "merged into what?");
    home.assert_sound();
}

#[test]
fn a_pair_that_is_put_off_comes_last_and_is_not_lost() {
    let home = Home::new();
    let first = contested(&home, ["8080", "9090"]);
    let (one, two) = (home.remember("Tabs are used"), home.remember("Spaces are used"));
    home.json(&["contradict", &one, &two]);
    let order = |review: &Value| {
        let pairs = review["contested"].as_array().expect("a list").clone();
        pairs.iter().map(|pair| id_of(&pair["a"])).collect::<Vec<_>>()
    };
    assert_eq!(order(&home.json(&["review"])), [first[0].clone(), one.clone()]);
    let answer = home.json(&["review", "--later", &first[0]]);
    assert_eq!(answer["decided"]["ruling"], "later");
    assert_eq!(order(&answer), [one.clone(), first[0].clone()]);
    let flags = home.show(&first[0])["flags"].clone();
    assert!(strings(&flags).contains(&"contested"), "nothing was decided: {flags}");
    home.json(&["undo"]);
    assert_eq!(order(&home.json(&["review"])), [first[0].clone(), one]);
}

#[test]
fn a_decision_in_review_is_one_batch() {
    let home = Home::new();
    let [a, b] = contested(&home, ["8080", "9090"]);
    let before = batches(&home).len();
    home.json(&["review", "--merge", &a, "--text", "Staging listens on two ports"]);
    assert_eq!(batches(&home).len(), before + 1, "so that one undo takes it back");
    home.json(&["undo"]);
    for id in [&a, &b] {
        assert!(home.show(id)["superseded_by"].is_null(), "{id}");
    }
}
