//! Lessons that say something, and those that only sound like it.

use proptest::prelude::*;
use proptest::sample::select;
use throughline_language::lesson::{Collision, MistakeCause, Vague, check, draft};

use crate::arbitrary;

const GOOD: &[&str] = &[
    "Cited 229 % from memory; read bench/decode.md before quoting decode speed",
    "Read src/config.rs before saying what the timeout is.",
    "Use pnpm instead of npm in this repository.",
    "Ask before assuming that staging runs Postgres 14.",
    "Run `cargo test --workspace` before claiming that all tests pass.",
    "The default branch is develop, not main: check `git remote show origin` before opening a pull request.",
    "Do not assume `save()` is idempotent; look at its tests.",
    "Never edit src/schema.rs by hand, run `diesel migration run`.",
    "Measured on a laptop; rerun bench/recall.sh on the server before quoting a p95.",
    "Check Cargo.lock before naming the version of serde.",
    "When the user says \"the app\", ask whether the mobile app is meant.",
    "Grep for DATABASE_TIMEOUT before stating its default.",
    "The API returns cents: divide amounts by 100 is wrong for JPY, read docs/money.md first.",
    "Before renaming a column, search migrations/ for its name.",
    "I guessed the port. Read docker-compose.yml first.",
    "Use `rg` rather than `grep` here.",
    "Confirm the Node version with `node --version` before suggesting syntax.",
    "Don't call parse_line on whole files; use parse_page.",
    "Always pass --locked to cargo install.",
    "Said Redis was the queue; it is RabbitMQ. Open infra/main.tf before naming services.",
    "Wait for the `deploy` job before telling anybody that staging is updated.",
    "Treat numbers in README.md as old; run the benchmark.",
    "Compare with the output of `terraform plan` before saying nothing changes.",
    "Quote the line of CHANGELOG.md instead of remembering the release date.",
    "Add a test to tests/it/parse.rs before changing the parser.",
    "Stop inferring types from names: open types.ts and read UserRow.",
    "Verify the flag in clap's definition at src/args.rs before documenting it.",
    "Write dates as 2024-05-01, the user corrected that twice.",
    "Look at `git log -5` before saying who changed it",
    "Set RUST_LOG=debug before reading the log, otherwise hook errors stay hidden",
    "Tests hung since port 8080 was taken: check `lsof -i :8080` first",
    "Ask Maria before touching the billing service",
    "Prefer jiff over chrono in new code.",
    "Reproduce with PROPTEST_CASES=10000 before closing the issue",
    "Inspect the generated SQL with EXPLAIN before blaming the index",
    "Never say that a job finished; read its exit code with `echo $?`",
    "Import from @app/shared, not from relative paths",
    "Restart the worker after editing settings.py, it does not reload",
    "Assumed UTC; the reports use Europe/Berlin. Convert before comparing days.",
    "Count tokens with `tokens::estimate` instead of dividing by 4",
    "Expect `None` from `find_user` for deleted accounts",
    "Keep unsafe blocks out of `throughline-core`",
    "Should run `npm ci` and not `npm install` in CI",
];

const BAD: &[&str] = &[
    "be more careful",
    "Be more careful next time.",
    "I should double-check things",
    "I should double-check things before answering.",
    "don't make mistakes",
    "Do not make the same mistake again.",
    "remember to verify",
    "Always remember to verify the facts first.",
    "always be accurate",
    "Always be accurate and precise in answers.",
    "Pay more attention to details.",
    "Think before acting.",
    "Try harder to get it right.",
    "Verify everything twice before saying it.",
    "Check everything 3 times.",
    "Be 100 % sure before claiming anything.",
    "Never guess, always verify.",
    "Read the question more carefully.",
    "Avoid errors in the future.",
    "Listen to the user.",
    "Quality matters more than speed.",
    "Assumptions are dangerous.",
    "I was wrong about that.",
    "I learned a lot from this mistake.",
    "This was a good reminder to stay humble.",
    "Do better.",
    "Slow down and think about it properly.",
    "Take more time for each answer.",
    "Always tell the truth to the user.",
    "Make sure the output is correct.",
    "Use reliable sources of information.",
    "Postgres 16 runs on staging.",
    "The timeout in src/config.rs is 30 s.",
    "The user prefers pnpm over npm.",
    "`save()` is not idempotent.",
    "It was 31 %, not 229 %.",
    "ALWAYS CHECK EVERYTHING TWICE",
    "BE MORE CAREFUL NEXT TIME!",
    "ok",
    "",
    "...",
    "Fix it.",
    "Verify instead of guessing.",
    "Check facts instead of assuming.",
    "Be honest about what is known and what is not.",
    "Rust is hard, be more careful with it.",
    "Mistakes in `main.rs` are embarrassing.",
    "Remember that accuracy is important.",
    "Stay focused on the task at hand.",
];

#[test]
fn a_lesson_that_names_something_and_says_what_to_do_counts() {
    let refused: Vec<_> =
        GOOD.iter().filter_map(|text| Some((*text, check(text).err()?))).collect();
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn a_lesson_that_fits_everything_is_refused() {
    let accepted: Vec<_> = BAD.iter().filter(|text| check(text).is_ok()).collect();
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn a_refusal_says_what_is_missing() {
    for (text, expected) in [
        ("Be careful.", Vague::TooShort),
        ("Verify everything twice before saying it.", Vague::NothingSpecific),
        ("The timeout in src/config.rs is 30 s.", Vague::NothingToDo),
    ] {
        assert_eq!(check(text), Err(expected), "{text}");
        assert!(expected.to_string().contains(": "), "{expected}");
    }
}

fn lesson(
    wrong: &str,
    right: Option<&str>,
    cause: MistakeCause,
    place: Option<&str>,
) -> Option<String> {
    draft(&Collision { wrong, right, cause, place })
}

#[test]
fn a_draft_quotes_both_and_says_where_to_look() {
    let found = lesson(
        "Decode speed is +229 %.",
        Some("Decode speed is +31 %."),
        MistakeCause::GroundTruth,
        Some("bench/decode.md"),
    );
    assert_eq!(
        found.as_deref(),
        Some(
            "Said \"Decode speed is +229 %\"; what was found: \"Decode speed is +31 %\". \
            Read bench/decode.md before speaking of Decode speed."
        )
    );
    let found = lesson(
        "The default branch is \"main\"",
        Some("The default branch is develop"),
        MistakeCause::UserCorrected,
        None,
    );
    assert_eq!(
        found.as_deref(),
        Some(
            "Said \"The default branch is 'main'\"; the user corrected it: \"The default branch is develop\". \
            Ask the user before assuming the default branch."
        )
    );
    let found =
        lesson("The timeout is 30 s", None, MistakeCause::OwnInference, Some("DATABASE_TIMEOUT"));
    assert_eq!(
        found.as_deref(),
        Some(
            "Inferred \"The timeout is 30 s\" without a source; it does not hold. \
            Look DATABASE_TIMEOUT up before speaking of the timeout."
        )
    );
}

#[test]
fn a_draft_that_would_be_vague_is_none() {
    for (wrong, right, place) in [
        ("", None, None),
        ("it works", None, None),
        ("That is right", None, None),
        ("staging runs Postgres 16", Some("Staging runs Postgres 16."), None),
        ("   \n", Some("Postgres 16"), Some("src/a.rs")),
        ("Never again", None, None),
    ] {
        for cause in
            [MistakeCause::UserCorrected, MistakeCause::GroundTruth, MistakeCause::OwnInference]
        {
            assert_eq!(lesson(wrong, right, cause, place), None, "{wrong:?}");
        }
    }
}

fn claim() -> impl Strategy<Value = String> {
    prop_oneof![
        arbitrary::text(),
        ".{0,60}",
        "[A-Za-z]{1,9} (is|are|runs|uses) [a-z]{1,9} [0-9]{1,3}",
        select(GOOD).prop_map(str::to_owned),
        select(BAD).prop_map(str::to_owned),
    ]
}

proptest! {
    #[test]
    fn a_draft_always_counts_as_a_lesson_and_is_short(
        wrong in claim(),
        right in proptest::option::of(claim()),
        cause in select(vec![MistakeCause::UserCorrected, MistakeCause::GroundTruth, MistakeCause::OwnInference]),
        place in proptest::option::of(prop_oneof![Just("src/a.rs".to_owned()), Just("A_FLAG".to_owned()), claim()]),
    ) {
        let collision =
            Collision { wrong: &wrong, right: right.as_deref(), cause, place: place.as_deref() };
        let drafted = draft(&collision);
        prop_assert_eq!(&drafted, &draft(&collision));
        if let Some(text) = drafted {
            prop_assert_eq!(check(&text), Ok(()), "{}", text);
            prop_assert!(text.chars().count() <= 700 && !text.contains('\n'), "{}", text);
        }
    }

    #[test]
    fn what_states_a_value_is_drafted_whatever_it_is(name in "[a-z]{4,9}[0-9]", old in 1..99_u32, new in 100..999_u32) {
        let (wrong, right) = (format!("{name} is {old}"), format!("{name} is {new}"));
        for cause in [MistakeCause::UserCorrected, MistakeCause::GroundTruth, MistakeCause::OwnInference] {
            for place in [None, Some("src/a.rs"), Some("A_FLAG")] {
                let drafted = lesson(&wrong, Some(&right), cause, place);
                prop_assert!(drafted.is_some_and(|text| text.contains(&wrong) && text.contains(&right)));
            }
        }
    }

    #[test]
    fn any_text_can_be_checked(text in claim()) {
        let again = check(&text);
        prop_assert_eq!(check(&text), again);
    }
}
