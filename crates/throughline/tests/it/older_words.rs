//! What an older transcript says again in other words is never told without what was said later.

use serde_json::json;

use crate::harness::Home;
use crate::hooking::Agent;

/// Says something in a session of its own.
fn says(home: &Home, day: &'static str, words: &str) {
    home.travel(day);
    let agent = Agent::new(home, day);
    agent.hears(words);
    agent.ends();
}

/// What is held, what takes its place, the word that tells of that, and the old value in other words.
const SAID_BEFORE: [(&str, &str, &str, &str); 2] = [
    (
        "Members log in with a magic link.",
        "old people kept losing the mail so its a 6 digit code now, pls style the input boxes",
        "6 digit",
        "no passwords here, they click the thing in their inbox",
    ),
    (
        "Homework is set in Google Classroom.",
        "why can't year 8 see the Teams assignment, they all got moved off Classroom in Feb",
        "moved off Classroom",
        "teachers post tasks to Classroom, nowhere else",
    ),
];

#[test]
fn an_older_transcript_in_other_words_is_never_told_without_what_was_said_later() {
    for (was, said, word, older) in SAID_BEFORE {
        let home = Home::new();
        home.travel("2026-03-02");
        home.remember(was);
        says(&home, "2026-03-07", said);
        home.travel("2026-03-09");
        let turn = json!({"session": "older", "at": "2026-03-03T10:00:00Z", "speaker": "user",
            "text": older, "id": "t1"});
        std::fs::write(home.outside("older.jsonl"), format!("{turn}\n")).expect("a file");
        home.json(&["ingest", &home.arg("older.jsonl")]);
        let pages = [
            Agent::new(&home, "after").starts(),
            home.page(&["recall", &format!("What do we know about this: {was}")]),
        ];
        let words = older.trim_end_matches('.');
        for page in pages {
            let alone = |line: &&str| line.contains(words) && !line.contains(word);
            assert_eq!(page.lines().find(alone), None, "{page}");
        }
    }
}
