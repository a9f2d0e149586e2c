//! Later words: what a person says about something that is held is told with it, or takes its place,
//! however it was put and by whichever door.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;

/// What is held, what is said about it in passing, and the word that must not be missing from then on.
const SAID_IN_PASSING: [(&str, &str, &str); 6] = [
    ("Staging runs on Postgres 15.", "staging's on Postgres 16 now", "16"),
    ("Staging runs on Postgres 15.", "we bumped staging to 16 yesterday", "16"),
    ("We lint with eslint.", "biome replaced eslint in #742", "biome"),
    (
        "Session cookies are scoped to the tenant subdomain.",
        "With the unified login the cookie's domain is the apex, deliberately.",
        "apex",
    ),
    (
        "Patch notes are written by hand.",
        "the notes come from the Player-note trailers these days",
        "trailers",
    ),
    (
        "The e-stop is wired normally open.",
        "rewired the e-stop normally closed after the safety review",
        "closed",
    ),
];

#[test]
fn what_is_held_is_never_told_without_what_was_said_about_it_later() {
    for (held, said, word) in SAID_IN_PASSING {
        let home = Home::new();
        let id = home.remember(held);
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        home.travel("2026-03-05");
        home.json(&["sleep"]);
        let pages = [
            Agent::new(&home, "after").starts(),
            home.page(&["recall", &format!("What do we know about this: {held}")]),
        ];
        for page in pages {
            let told = page.contains(&id[..8]) || page.contains(held);
            assert!(!told || page.contains(word), "{held} | {said} | {page}");
        }
    }
}

#[test]
fn remembering_by_hand_meets_what_is_held_whatever_the_wording() {
    let home = Home::new();
    let first = home.remember("Staging runs on Postgres 15.");
    home.remember("Releases are cut from the harbour branch.");
    let later = home.json(&["remember", "we bumped staging to 16 yesterday"]);
    assert_eq!(later["superseded"], json!([first]), "{later}");
    assert_eq!(later["contested"], json!([]), "{later}");
}

#[test]
fn what_an_agent_remembers_in_other_words_replaces_nothing_that_a_person_said() {
    let home = Home::new();
    let first = home.remember("Staging runs on Postgres 15.");
    home.mcp().call("remember", json!({"content": "They bumped staging to 16 yesterday."}));
    let shown = home.json(&["show", &first]);
    assert_eq!(shown["state"], "confirmed", "{shown}");
    assert!(Agent::new(&home, "after").starts().contains("Postgres 15"), "the user's word is told");
}
