//! Putting right: whoever takes something back and says what holds instead is understood in both, and a short answer is
//! kept with what it answers.

use crate::harness::Home;
use crate::hooking::Agent;

/// What is held, and the words that take it back and say what holds instead.
const INSTEAD: [(&str, &str); 3] = [
    ("The orders db is MySQL.", "forget mysql, use postgres"),
    ("We test with jest.", "drop jest, we're on vitest now"),
    ("Sessions are kept in Redis.", "forget redis, we keep sessions in postgres"),
];

#[test]
fn what_holds_instead_is_kept_and_takes_the_place_of_what_is_taken_back() {
    for (held, said) in INSTEAD {
        let home = Home::new();
        let id = home.remember(held);
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        assert_eq!(home.show(&id)["state"], "superseded", "{held} | {said}");
        assert_eq!(home.texts(&["list"]), [said], "{held}");
        let page = home.page(&["recall", &format!("What do we know about this: {held}")]);
        assert!(page.contains(said), "{page}");
    }
}

#[test]
fn what_an_agent_is_about_to_do_is_taken_back_for_something_else() {
    let home = Home::new();
    let id = home.remember("We indent with tabs.");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("Set up the editor config.");
    agent.answers("I'll indent with tabs then.");
    agent.hears("scratch that, spaces");
    agent.ends();
    assert_eq!(home.show(&id)["state"], "superseded");
    let page = home.page(&["recall", "do we indent with tabs or spaces?"]);
    assert!(page.contains("scratch that, spaces"), "{page}");
    assert!(page.contains("until") && page.contains("tabs"), "it says what it is about: {page}");
}

#[test]
fn what_a_person_said_a_moment_ago_is_never_told_without_what_takes_it_back() {
    let home = Home::new();
    let agent = Agent::new(&home, "now");
    agent.hears("we indent with tabs");
    agent.answers("Noted.");
    agent.hears("scratch that, spaces");
    agent.ends();
    home.travel("2026-03-03");
    let page = home.page(&["recall", "do we indent with tabs or spaces?"]);
    assert!(page.contains("spaces"), "{page}");
}

#[test]
fn whoever_only_drops_the_matter_changes_nothing() {
    for said in ["never mind, found it", "scratch that, it works", "nvm, I'll do it myself"] {
        let home = Home::new();
        let id = home.remember("We indent with tabs.");
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears("Why is the indentation off?");
        agent.answers("I'll indent with tabs then.");
        agent.hears(said);
        agent.ends();
        assert_eq!(home.show(&id)["state"], "confirmed", "{said}");
        assert_eq!(home.texts(&["list"]), ["We indent with tabs."], "{said}");
    }
}

#[test]
fn a_short_answer_is_told_with_what_it_answers() {
    let home = Home::new();
    let agent = Agent::new(&home, "now");
    agent.hears("Look at the metrics setup.");
    agent.answers("It is wired up. The metrics endpoint listens on 8080, right?");
    agent.hears("no, on 9090");
    agent.ends();
    home.travel("2026-03-03");
    let page = home.page(&["recall", "which port does the metrics endpoint listen on?"]);
    assert!(page.contains("no, on 9090"), "{page}");
    assert!(page.contains("answers “The metrics endpoint listens on 8080, right?”"), "{page}");
    assert!(!page.contains("wired up"), "only what was asked: {page}");
    let found = home.json(&["search", "metrics endpoint port"]);
    let one = &found["items"][0];
    assert_eq!(one["content"], "no, on 9090", "in the person's words alone: {found}");
    assert_eq!(one["answers"], "The metrics endpoint listens on 8080, right?", "{found}");
    home.assert_sound();
}

#[test]
fn what_says_itself_what_it_speaks_of_is_told_without_what_it_answers() {
    let home = Home::new();
    let agent = Agent::new(&home, "now");
    agent.hears("Look at the metrics setup.");
    agent.answers("The metrics endpoint listens on 8080, right?");
    agent.hears("No, the metrics endpoint listens on port 9090.");
    agent.ends();
    let page = home.page(&["recall", "which port does the metrics endpoint listen on?"]);
    assert!(page.contains("9090") && !page.contains("answers"), "{page}");
}
