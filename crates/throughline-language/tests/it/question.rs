//! What a prompt asks for, what it names, and whether it asks anything of memory.

use proptest::prelude::*;
use throughline_language::question::{AskKind, Question, Reference, understand};

use crate::arbitrary;

fn read(text: &str) -> Question {
    understand(text, "2023-05-08T13:56:00Z".parse().expect("a moment"))
}

#[test]
fn the_question_word_says_what_is_asked() {
    for (text, ask) in [
        ("When did we move to Postgres?", AskKind::When),
        ("what year did the rewrite start", AskKind::When),
        ("Who owns the billing service?", AskKind::Who),
        ("With whom did Ada pair?", AskKind::Who),
        ("where's the retry logic?", AskKind::Where),
        ("How many shards are there?", AskKind::HowMany),
        ("how often does the job run?", AskKind::HowMany),
        ("how long did the migration take", AskKind::HowLong),
        ("How many weeks passed between the two outages?", AskKind::HowLong),
        ("Why does the cache miss?", AskKind::Why),
        ("how come it passes locally?", AskKind::Why),
        ("What was the reason for the rollback?", AskKind::Why),
        ("How do I rotate the keys?", AskKind::How),
        ("how to rotate the keys", AskKind::How),
        ("Which queue do we use?", AskKind::Which),
        ("in which region does it run?", AskKind::Which),
        ("ok so what is the port?", AskKind::What),
        ("what about windows?", AskKind::What),
        ("Did Ada approve it?", AskKind::YesNo),
        ("is there a flag for that", AskKind::YesNo),
        ("the linter too, no?", AskKind::YesNo),
        ("In what order did the outages happen?", AskKind::Order),
        ("Which came first, the fork or the rename?", AskKind::Order),
        ("list the order in which the services moved", AskKind::Order),
        ("what is the order of the releases?", AskKind::Order),
        ("Which queue did we try first, Kafka or Nats?", AskKind::Order),
        ("what was the date of the outage?", AskKind::When),
        ("Between the two, which one is faster?", AskKind::Which),
        ("can you walk me through how to release?", AskKind::How),
        ("can you provide a summary of the incident?", AskKind::Summary),
        ("summarize the auth work", AskKind::Summary),
        ("can you recap the week", AskKind::Summary),
        ("give me a quick overview of the importer", AskKind::Summary),
        ("tell me where the config lives", AskKind::Where),
        ("do you remember why we dropped Redis?", AskKind::Why),
        ("remind me who reviews the parser", AskKind::Who),
        ("When I run the importer, why does it hang?", AskKind::Why),
        ("When calling the service, what errors should I expect?", AskKind::What),
        ("The build is red. What changed?", AskKind::What),
        ("Use tabs here.", AskKind::Statement),
        ("When the cache is cold, use the disk.", AskKind::Statement),
        ("Where possible, borrow.", AskKind::Statement),
        ("Do the swap", AskKind::Statement),
        ("add an overview of the modules to the readme", AskKind::Statement),
        ("", AskKind::Statement),
    ] {
        assert_eq!(read(text).ask, ask, "{text}");
    }
}

#[test]
fn names_are_what_is_written_large_or_set_apart() {
    for (text, names) in [
        ("did Ada Lovelace review it?", vec!["Ada Lovelace"]),
        ("Is Grafana up?", vec!["Grafana"]),
        ("Ada's branch is stale", vec!["Ada"]),
        ("ask @grace about it", vec!["grace"]),
        ("the \"blue door\" meeting with Bank of England", vec!["blue door", "Bank of England"]),
        ("what does `just check` do", vec!["just check"]),
        ("Please run it. Then stop.", vec![]),
        ("Continue", vec![]),
        ("I think I'm done. OK?", vec![]),
        ("STOP DOING THAT", vec![]),
        ("what happened on Monday in May with Redis", vec!["Redis"]),
        ("compare Kafka, Redis and Nats", vec!["Kafka", "Redis", "Nats"]),
        ("did Dr. Grace Hopper approve", vec!["Dr Grace Hopper"]),
        ("does the API use TLS", vec!["API", "TLS"]),
    ] {
        assert_eq!(read(text).names, names, "{text}");
    }
}

#[test]
fn identifiers_are_what_is_written_as_code() {
    for (text, identifiers) in [
        ("fix src/net/client.rs, please", vec!["src/net/client.rs"]),
        ("why does fetchAll() call retry_once?", vec!["fetchAll", "retry_once"]),
        ("pass --dry-run or -n", vec!["--dry-run", "-n"]),
        ("error[E0499] and TS2304", vec!["E0499", "TS2304"]),
        ("bump serde to 1.2.3 or v2", vec!["1.2.3", "v2"]),
        ("revert 3f2a91c", vec!["3f2a91c"]),
        ("see https://example.org/a?b=c and #182", vec!["https://example.org/a?b=c", "#182"]),
        ("std::mem::take in .gitignore", vec!["std::mem::take", ".gitignore"]),
        ("e.g. and/or 1.5 times, i.e. 10ms at 2x, well-known", vec![]),
        ("`parse`", vec![]),
    ] {
        assert_eq!(read(text).identifiers, identifiers, "{text}");
    }
}

#[test]
fn words_point_to_things_without_naming_them() {
    use Reference::{Decision, LastSession, Plan, Preference, Project};
    for (text, references) in [
        ("what language is my project in?", vec![Project]),
        ("does this repo follow our conventions?", vec![Project, Preference]),
        ("why did we decide against it?", vec![Decision]),
        ("was that decision ever reverted?", vec![Decision]),
        ("how do I prefer errors to be handled?", vec![Preference]),
        ("what's next?", vec![Plan]),
        ("is the plan still valid", vec![Plan]),
        ("where were we?", vec![LastSession]),
        ("carry on from where we left off", vec![LastSession]),
        ("like last time, then check the plan", vec![LastSession, Plan]),
        ("the projector is broken", vec![]),
    ] {
        assert_eq!(read(text).references, references, "{text}");
    }
}

#[test]
fn small_talk_asks_nothing_of_memory() {
    for text in [
        "",
        "thanks!",
        "Thank you so much",
        "ok",
        "OK.",
        "lgtm",
        "continue",
        "go on",
        "go ahead",
        "yes, go ahead",
        "yes please do",
        "try again",
        "run the tests",
        "run the tests again",
        "commit this",
        "looks good, push it",
        "fix it",
        "why?",
        "why not?",
        "how?",
        "hello",
        "Good morning!",
        "hi there",
        "👍",
        "...",
        "2",
        "b",
        "option 2",
        "the second one",
        "#3",
        "both",
        "no, undo that",
        "stop",
        "wait",
        "now fix the warnings",
        "make it so",
        "are you sure?",
        "did it work?",
        "perfect, merge it",
        "Yep. Do it.",
        "I like it",
        "what do you think?",
        "what does that mean?",
        "address 3, 8 and 11",
        "nope, revert it",
        "show me the diff",
        "can you check again?",
        "cool, keep going",
    ] {
        assert!(read(text).small_talk, "{text:?} {:?}", read(text));
    }
}

#[test]
fn anything_telling_is_no_small_talk() {
    for text in [
        "fix the parser",
        "run the tests in Docker",
        "push it to staging",
        "what's next?",
        "where were we?",
        "what did we do?",
        "continue with the importer",
        "fix src/lib.rs",
        "commit this to main",
        "what did you say yesterday",
        "fix #182",
        "fix the 404",
        "use the usual style",
        "run it like last time",
        "start the server",
        "deploy it",
        "update the docs",
        "add tests for retries",
        "who?",
        "which one did we choose?",
        "use tabs",
        "delete the cache",
        "do you remember?",
        "finish the plan",
        "ok Ada",
        "сделай это",
        "テスト",
        "merge release/2.1",
        "what was the port again?",
        "as usual",
    ] {
        assert!(!read(text).small_talk, "{text:?}");
    }
}

#[test]
fn speaking_of_past_work_is_noticed() {
    for text in [
        "what did we choose last time?",
        "do you remember the flag?",
        "as I said, no mocks",
        "what did I call it?",
        "previously it passed",
        "didn't we fix this?",
        "we agreed on tabs",
        "what was the command again?",
        "remind me how to release",
        "have we ever used Redis?",
        "it used to work",
        "I told you about the proxy",
    ] {
        assert!(read(text).recalls, "{text:?}");
    }
    for text in [
        "try again",
        "run it again",
        "remember to add tests",
        "add a test",
        "can you try again?",
        "what is the last line?",
        "did it pass?",
    ] {
        assert!(!read(text).recalls, "{text:?}");
    }
}

#[test]
fn a_denial_is_told_from_a_polite_question() {
    for text in [
        "why doesn't it compile?",
        "which tests do not pass?",
        "what did Ada never finish?",
        "how do I run it without Docker?",
        "what do we no longer support?",
        "it can't connect",
        "why didn't we ship?",
    ] {
        assert!(read(text).negated, "{text:?}");
    }
    for text in [
        "didn't we fix this?",
        "isn't it done?",
        "why not?",
        "is it done, no?",
        "no, use tabs",
        "can you tell me whether or not it runs?",
        "what is it?",
    ] {
        assert!(!read(text).negated, "{text:?}");
    }
}

#[test]
fn times_are_read_along() {
    let question = read("What did Ada say last week about retries?");
    assert_eq!(question.times.len(), 1);
    assert_eq!(question.names, ["Ada"]);
    assert!(!read("push it tomorrow").small_talk);
}

#[test]
fn what_is_asked_after_a_long_paste_is_found() {
    let pasted = format!("{}\nWhy does this fail?", "error at line 3\n".repeat(60_000));
    assert_eq!(read(&pasted).ask, AskKind::Why);
}

proptest! {
    #[test]
    fn any_text_is_understood(text in prop_oneof![arbitrary::text(), any::<String>()]) {
        let question = read(&text);
        for found in question.names.iter().chain(&question.identifiers) {
            prop_assert!(!found.trim().is_empty());
        }
        if question.small_talk {
            prop_assert!(question.names.is_empty() && question.references.is_empty());
            prop_assert!(question.times.is_empty() && !question.recalls);
        }
    }
}
