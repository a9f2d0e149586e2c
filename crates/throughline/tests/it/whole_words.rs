//! Whole words: what is said in one breath is kept whole and apart from what passes, what only adds stands beside what
//! is held, and nothing goes with something else that it was not said about.

use crate::harness::Home;
use crate::hooking::Agent;

/// What is held after a person said something in a session of its own: state and words, sorted.
fn after(held: &[&str], said: &str) -> (Home, Vec<(String, String)>) {
    let home = Home::new();
    for one in held {
        home.remember(one);
    }
    home.travel("2026-03-04");
    let agent = Agent::new(&home, "later");
    agent.hears(said);
    agent.ends();
    home.travel("2026-03-05");
    let all = states(&home);
    (home, all)
}

fn states(home: &Home) -> Vec<(String, String)> {
    let all = home.json(&["list", "--all"]);
    let items = all["items"].as_array().expect("items").iter();
    let text = |one: &serde_json::Value, name: &str| one[name].as_str().expect("a text").to_owned();
    let mut all: Vec<_> = items.map(|one| (text(one, "content"), text(one, "state"))).collect();
    all.sort();
    all
}

fn is_active(all: &[(String, String)], words: &str) -> bool {
    all.iter().any(|(content, state)| {
        content.contains(words) && (state == "confirmed" || state == "staged")
    })
}

const MARCO: &str = "Marco maintains the gateway; ask him before touching src/limits.rs";

#[test]
fn a_sentence_whose_first_half_changes_keeps_its_second_half() {
    for by_hand in [true, false] {
        let home = Home::new();
        if by_hand {
            home.remember(MARCO);
        } else {
            let agent = Agent::new(&home, "first");
            agent.hears(MARCO);
            agent.ends();
        }
        home.travel("2026-03-04");
        let agent = Agent::new(&home, "later");
        agent.hears("Lena maintains the gateway now");
        agent.ends();
        let told = home.page(&["recall", "who maintains the gateway?"]);
        assert!(told.contains("ask him before touching src/limits.rs"), "{told}");
        assert!(told.contains("Lena maintains the gateway now"), "never without the later: {told}");
        let waits = home.json(&["review"]);
        assert_eq!(waits["contested"].as_array().map(Vec::len), Some(1), "{waits}");
    }
}

#[test]
fn a_whole_sentence_that_changes_is_replaced_as_before() {
    let (_, all) = after(&["Marco maintains the gateway."], "Lena maintains the gateway now");
    assert!(!is_active(&all, "Marco"), "{all:?}");
}

#[test]
fn a_rule_before_or_behind_small_talk_is_kept_without_it() {
    for (said, kept) in [
        (
            "Always run the linter before you push, thanks and have a nice weekend!",
            "Always run the linter before you push",
        ),
        (
            "never touch the migrations folder, how was your weekend?",
            "never touch the migrations folder",
        ),
    ] {
        let (_, all) = after(&[], said);
        assert_eq!(all.iter().map(|one| one.0.as_str()).collect::<Vec<_>>(), [kept], "{said}");
    }
}

#[test]
fn a_request_before_a_change_is_no_part_of_what_is_kept() {
    let said = "can you rename the worker, and by the way Sven owns search now";
    let (_, all) = after(&["Marco owns search."], said);
    assert!(is_active(&all, "Sven owns search now") && !is_active(&all, "Marco"), "{all:?}");
    assert!(!is_active(&all, "rename"), "{all:?}");
}

#[test]
fn how_a_task_is_to_be_done_is_no_rule() {
    for said in [
        "write a short poem about rivers, never use the letter e",
        "summarise the meeting notes, always use bullet points",
    ] {
        let (_, all) = after(&[], said);
        assert_eq!(all, [], "{said}");
    }
}

#[test]
fn what_is_told_beside_an_order_to_forget_takes_the_place() {
    let (_, all) =
        after(&["We use pnpm for the frontend."], "Forget what I said about pnpm, it's bun now");
    assert!(!is_active(&all, "We use pnpm") && is_active(&all, "it's bun now"), "{all:?}");
}

#[test]
fn the_consequence_and_the_condition_stay_with_their_sentence() {
    let (_, all) =
        after(&["Never edit src/legacy.rs."], "legacy.rs is unfrozen, so you can edit it now");
    assert!(is_active(&all, "legacy.rs is unfrozen, so you can edit it now"), "{all:?}");
    let (_, all) = after(&[], "never force-push, it's okay if Lena signs off though");
    assert!(is_active(&all, "if Lena signs off"), "{all:?}");
}

#[test]
fn an_exception_is_kept_beside_its_rule() {
    let rule = "Never force-push to main.";
    let (home, all) = after(&[rule], "force-push is okay if Lena signs off");
    assert!(is_active(&all, rule), "{all:?}");
    assert!(is_active(&all, "force-push is okay if Lena signs off"), "{all:?}");
    let waits = home.json(&["review"]);
    assert_eq!(waits["contested"], serde_json::json!([]), "{waits}");
}

/// What is held, and what is said later that takes nothing of it away.
const ADDED: [(&str, &str); 7] = [
    ("We deploy on Thursdays.", "we also deploy on Mondays now"),
    ("The client retries 3 times.", "the client waits 30 seconds between retries"),
    ("The nightly import takes 40 minutes.", "the hourly import takes 5 minutes"),
    ("The staging database runs on Postgres 14.", "the prod database runs on Postgres 16"),
    ("The api listens on port 8080.", "the api listens on port 9090 as well"),
    ("Anna reviews the payments code.", "Tom reviews the payments code too"),
    ("Tiles stop at zoom level 15.", "we additionally render tiles at zoom level 17"),
];

#[test]
fn what_adds_takes_nothing_away_in_a_prompt_and_by_hand() {
    for (held, said) in ADDED {
        let (home, all) = after(&[held], said);
        assert!(is_active(&all, held), "{said}: {all:?}");
        let waits = home.json(&["review"]);
        assert_eq!(waits["contested"], serde_json::json!([]), "{said}: {waits}");
        let home = Home::new();
        home.remember(held);
        let told = home.json(&["remember", said]);
        assert_eq!(told["superseded"], serde_json::json!([]), "{said}: {told}");
        assert_eq!(told["contested"], serde_json::json!([]), "{said}: {told}");
    }
}

/// What is held, and words about something else that share one word with it or none.
const UNRELATED: [(&str, &str); 5] = [
    ("Releases go out on Thursdays.", "on Thursdays I go swimming"),
    ("Tiles stop at zoom level 15.", "nothing from the thawed batch goes in any figure"),
    ("The stream is MP3.", "premiere's over, file is free for all again"),
    (
        "Act two has pyro.",
        "Wesley left and the new guy is from Chile, write the commits in english",
    ),
    ("The shop has four languages.", "Query for archive write in Postgres dialect"),
];

#[test]
fn words_about_something_else_stand_beside_no_memory() {
    for (held, said) in UNRELATED {
        let home = Home::new();
        let id = home.remember(held);
        home.travel("2026-03-04");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        let shown = home.show(&id);
        assert_eq!((&shown["state"], &shown["later"]), (&"confirmed".into(), &().into()), "{said}");
        let today = home.json(&["today"]);
        assert_eq!(today["questioned"], serde_json::json!([]), "{said}: {today}");
    }
}
