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
fn an_order_that_speaks_of_something_else_replaces_nothing() {
    let home = Home::new();
    let id = home.remember("The on-call rotation changes on Mondays at 10.");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("Tuesday, so ship it");
    agent.ends();
    assert_eq!(home.show(&id)["state"], "confirmed");
}

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
            let told = page.contains(&id[id.len() - 8..]) || page.contains(held);
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

/// What is held, and what is said in passing that takes its place though its form speaks against that: somebody else
/// settled it, or its number counts something in other words.
const REPLACES_AGAINST_ITS_FORM: [(&str, &str); 2] = [
    ("The Basel team reviews all code.", "No review from Basel side is needed as per call."),
    (
        "Lessons last 45 minutes.",
        "Please recompute the bells with 50-minute lessons, the parents' council has won.",
    ),
];

#[test]
fn what_others_settled_or_counted_in_other_words_takes_the_place_of_what_it_changes() {
    for (held, said) in REPLACES_AGAINST_ITS_FORM {
        let home = Home::new();
        let id = home.remember(held);
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.answers("Done.");
        assert_eq!(home.show(&id)["state"], "superseded", "{held} | {said}");
    }
}

/// What is held, a clear change of it with something else in the same breath, and what is kept of that.
const IN_ONE_BREATH: [(&str, &str, &str); 6] = [
    (
        "Staging runs on Postgres 15.",
        "staging's on postgres 16 now, and can you rerun the migration?",
        "staging's on postgres 16 now",
    ),
    (
        "We use Node 20.",
        "we bumped node to 22, ci is green again",
        "we bumped node to 22, ci is green again",
    ),
    (
        "The API rate limit is 100 requests per minute.",
        "rate limit is 200 now and please update the docs",
        "rate limit is 200 now",
    ),
    (
        "The standup call is on channel 5.",
        "we're on 9, mention it again before the call",
        "we're on 9, mention it again before the call",
    ),
    (
        "The meetup is in room 5.",
        "we're in 11, put it on the poster before the talk",
        "we're in 11, put it on the poster before the talk",
    ),
    (
        "Backups go to the NAS.",
        "Backups go to S3 these days; would you check why the last one is empty?",
        "Backups go to S3 these days",
    ),
];

#[test]
fn what_else_is_said_in_one_breath_does_not_blur_a_clear_change() {
    for (held, said, kept) in IN_ONE_BREATH {
        let home = Home::new();
        let id = home.remember(held);
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        assert_eq!(home.show(&id)["state"], "superseded", "{held} | {said}");
        assert_eq!(home.texts(&["list"]), [kept], "{said}");
    }
}

/// What is held, and words that change it though their form speaks against keeping them.
const AGAINST_THEIR_FORM: [(&str, &str); 2] = [
    (
        "The search index has 4 shards.",
        "Kindly set up the new search index with 6 shards as per the platform team's recommendation.",
    ),
    (
        "The worker pool has 8 threads.",
        "Kindly start the pool with 12 threads as per ops recommendation.",
    ),
];

#[test]
fn words_that_change_something_and_are_not_kept_for_their_form_stand_beside_it() {
    for (held, said) in AGAINST_THEIR_FORM {
        let home = Home::new();
        let id = home.remember(held);
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears(said);
        agent.ends();
        let shown = home.show(&id);
        let later = shown["later"][0]["text"].as_str().unwrap_or_default();
        let told = !later.is_empty() && said.starts_with(later);
        assert!(told || shown["state"] == "superseded", "{held} | {said}: {shown}");
    }
}

#[test]
fn an_answer_of_one_word_is_no_claim_and_stands_beside_what_it_changes() {
    let home = Home::new();
    let id = home.remember("Walkers get 80% of the booking price.");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("Look at the payout formula.");
    agent.answers("Payout formula uses 80% for the walker, keep it?");
    agent.hears("85");
    agent.answers("Done.");
    let shown = home.show(&id);
    assert_eq!(shown["state"], "confirmed", "one word is not enough to replace it: {shown}");
    let later = shown["later"][0]["text"].as_str().unwrap_or_default();
    assert_eq!(later, "85", "in the person's words alone: {shown}");
    let page = home.page(&["recall", "What share of the booking price do walkers get?"]);
    assert!(page.contains("80%") && page.contains("85"), "{page}");
}

#[test]
fn what_an_agent_says_before_its_question_does_not_choose_what_an_answer_changes() {
    let home = Home::new();
    let id = home.remember("The API rate limit is 100 requests per minute");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("Please set up the layout of the page.");
    agent.answers("API rate limit is 100 requests per minute. And which page size for the table?");
    agent.hears("make it 500");
    agent.answers("ok");
    agent.ends();
    let shown = home.show(&id);
    assert_eq!(
        (&shown["state"], &shown["contested_by"]),
        (&json!("confirmed"), &json!([])),
        "{shown}"
    );
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

/// Corrections without any cue word: what is held, what the agent said, what a person says to it, and the
/// value from then on.
const WITHOUT_CUE: [(&str, &str, &str, &str); 4] = [
    ("Staging runs on Postgres 15.", "Which version is it?", "staging's on Postgres 16 now", "16"),
    ("Staging runs on Postgres 15.", "All done.", "we bumped staging to 16 yesterday", "16"),
    ("We lint with eslint.", "All done.", "biome replaced eslint in #742", "biome"),
    (
        "The staging database listens on port 5432.",
        "I will connect to the staging database on port 5432.",
        "nah it's 5433",
        "5433",
    ),
];

#[test]
fn a_correction_without_a_cue_word_holds_after_sleep_older_transcripts_and_older_exports() {
    for (held, before, said, word) in WITHOUT_CUE {
        let home = Home::new();
        let turn = json!({"session": "february", "at": "2026-02-23T10:00:00Z", "speaker": "user",
            "text": held, "id": "t1"});
        std::fs::write(home.outside("february.jsonl"), format!("{turn}\n")).expect("a file");
        let id = home.remember(held);
        home.json(&["export", "-o", &home.arg("older.jsonl")]);
        home.travel("2026-03-03");
        let agent = Agent::new(&home, "later");
        agent.hears("Set up the job, please.");
        agent.answers(before);
        agent.hears(said);
        agent.ends();
        home.travel("2026-03-05");
        let holds = |when: &str| {
            let pages = [
                Agent::new(&home, when).starts(),
                home.page(&["recall", &format!("What do we know about this: {held}")]),
            ];
            for page in pages {
                let told = page.contains(&id[id.len() - 8..]) || page.contains(held);
                assert!(!told || page.contains(word), "{said}, {when}: {page}");
            }
        };
        holds("next");
        home.json(&["sleep"]);
        holds("after-a-sleep");
        home.json(&["ingest", &home.arg("february.jsonl")]);
        holds("after-an-older-transcript");
        home.json(&["import", &home.arg("older.jsonl")]);
        holds("after-an-older-export");
    }
}

#[test]
fn what_is_pinned_is_questioned_by_words_in_passing_and_never_replaced() {
    let home = Home::new();
    let pinned = home.remember_with(&["Staging runs on Postgres 15.", "--pin"]);
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("staging's on Postgres 16 now");
    let shown = home.json(&["show", &pinned]);
    assert_eq!(shown["state"], "confirmed", "{shown}");
    assert!(Agent::new(&home, "after").starts().contains("16"), "told with the later word");
}

#[test]
fn no_agent_chooses_what_stands_beside_what_a_person_said() {
    let home = Home::new();
    let rule = home.remember("Never push to the release branch by hand.");
    home.travel("2026-03-03");
    let other = home.remember("The demo runs on a spare laptop, pushing there is fine.");
    let mut mcp = home.mcp();
    for relation in ["informs", "extends", "relates_to"] {
        mcp.call("relate", json!({"from": other, "relation": relation, "to": rule}));
    }
    let brief = Agent::new(&home, "after").starts();
    assert!(brief.contains("release branch"), "{brief}");
    assert!(!brief.contains("later said"), "{brief}");
}

#[test]
fn words_that_are_not_kept_stand_beside_what_they_may_touch_until_it_is_said_again() {
    let home = Home::new();
    home.remember("The build runs on Jenkins.");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("buildkite queue is stuck again, restart the agents");
    agent.ends();
    home.travel("2026-03-05");
    let told = home.page(&["recall", "Does the build run on Jenkins?"]);
    assert!(told.contains("buildkite queue is stuck"), "{told}");

    let file = home.outside("there.jsonl");
    home.json(&["export", "-o", file.to_str().unwrap()]);
    home.wipe();
    home.remember("Meetings are on Mondays.");
    home.json(&["import", file.to_str().unwrap()]);
    let told = home.page(&["recall", "Does the build run on Jenkins?"]);
    assert!(told.contains("buildkite queue is stuck"), "after an import: {told}");

    let agent = Agent::new(&home, "again");
    agent.hears("The build runs on Jenkins.");
    agent.ends();
    let told = home.page(&["recall", "Does the build run on Jenkins?"]);
    assert!(!told.contains("buildkite queue is stuck"), "{told}");
}

#[test]
fn an_erased_turn_no_longer_stands_beside_a_memory() {
    let home = Home::new();
    let id = home.remember("The build runs on Jenkins.");
    home.travel("2026-03-03");
    let agent = Agent::new(&home, "later");
    agent.hears("buildkite queue is stuck again, restart the agents");
    agent.ends();
    let question = ["recall", "Does the build run on Jenkins?"];
    let told = home.page(&question);
    assert!(told.contains("buildkite queue is stuck"), "{told}");

    let later = home.show(&id)["later"][0].clone();
    assert_eq!(later["words"], "buildkite queue is stuck again, restart the agents");
    let turn = later["id"].as_str().expect("the turn");
    home.json(&["purge", turn, "--yes"]);
    let told = home.page(&question);
    assert!(told.contains("Jenkins"), "{told}");
    assert!(!told.contains("buildkite queue is stuck"), "{told}");
    assert_eq!(home.files_holding("put 12 back"), Vec::<std::path::PathBuf>::new());
}
