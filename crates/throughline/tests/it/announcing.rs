//! Announcing: what holds only from a day on leaves what holds until then as it is, and is told with it.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;

/// What is held, and what is said in November to hold from later on.
const AHEAD: [(&str, &str, &str); 3] = [
    ("VAT is 8.1 %", "VAT goes to 8.5 % from january", "2027-01-01"),
    ("Staging runs on Postgres 15.", "starting december staging runs on Postgres 16", "2026-12-01"),
    ("Staging runs on Postgres 15.", "staging goes to Postgres 16 next month", "2026-12-01"),
];

fn page_after(home: &Home, held: &str) -> String {
    home.page(&["recall", &format!("What do we know about this: {held}")])
}

#[test]
fn what_holds_from_a_day_on_leaves_what_holds_until_then() {
    for (held, said, from) in AHEAD {
        let home = Home::new();
        home.travel("2026-11-02");
        let id = home.remember(held);
        home.travel("2026-11-10");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        home.json(&["sleep"]);
        let shown = home.show(&id);
        assert_eq!(
            (&shown["state"], &shown["contested_by"]),
            (&json!("confirmed"), &json!([])),
            "{said}: {shown}"
        );
        for page in [page_after(&home, held), Agent::new(&home, "after").starts()] {
            assert!(page.contains(held), "it holds today: {page}");
            assert!(page.contains(said) && page.contains(&format!("from {from}")), "{page}");
            assert!(!page.contains("contested"), "{page}");
        }
        assert_eq!(home.json(&["review"])["contested"], json!([]), "nothing is to be decided");
    }
}

#[test]
fn what_was_announced_takes_the_place_once_its_day_is_there() {
    for (held, said, _) in AHEAD {
        let home = Home::new();
        home.travel("2026-11-02");
        let id = home.remember(held);
        home.travel("2026-11-10");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        home.travel("2027-01-05");
        let page = page_after(&home, held);
        assert!(page.contains(said), "before anybody has slept: {page}");
        assert!(!page.contains(held) || page.contains("contested by"), "{page}");
        home.json(&["sleep"]);
        assert_eq!(home.show(&id)["state"], "superseded", "{said}");
        let page = page_after(&home, held);
        assert!(page.contains(said) && !page.contains("contested"), "{page}");
        home.assert_sound();
    }
}

#[test]
fn what_is_remembered_by_hand_for_later_replaces_nothing_today() {
    let home = Home::new();
    home.travel("2026-11-02");
    let id = home.remember("VAT is 8.1 %");
    home.travel("2026-11-10");
    let later = home.json(&["remember", "VAT goes to 8.5 % from january"]);
    assert_eq!((&later["superseded"], &later["contested"]), (&json!([]), &json!([])), "{later}");
    assert_eq!(home.show(&id)["state"], "confirmed");
    let page = page_after(&home, "VAT is 8.1 %");
    assert!(page.contains("VAT is 8.1 %") && page.contains("from 2027-01-01"), "{page}");
}

#[test]
fn a_date_that_is_itself_what_changes_is_replaced_at_once() {
    for (held, said) in [
        ("The release is on 2026-11-25.", "the release moved to 2026-12-03"),
        ("Go-live is on 1 December.", "the system will be live from 1st February"),
    ] {
        let home = Home::new();
        home.travel("2026-11-02");
        let id = home.remember(held);
        home.travel("2026-11-10");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        assert_eq!(home.show(&id)["state"], "superseded", "{held} | {said}");
    }
}
