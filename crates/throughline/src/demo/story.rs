//! The story of the demo: what Claude Code would send, and what is asked afterwards.

/// One stop of the tour.
pub(super) enum Stop {
    /// A day, and what it is about.
    Day { on: &'static str, says: &'static str },
    /// A hook fires; `{project}` is the project's folder.
    Hook { at: &'static str, event: &'static str, payload: &'static str },
    /// Somebody asks memory by hand.
    Ask { at: &'static str, says: &'static str, runs: &'static [&'static str] },
}

macro_rules! hook {
    ($at:literal, $event:literal, $session:literal, $rest:literal) => {
        Stop::Hook {
            at: $at,
            event: $event,
            payload: concat!(
                r#"{"session_id":""#,
                $session,
                r#"","cwd":"{project}","hook_event_name":""#,
                $event,
                r#"""#,
                $rest,
                "}"
            ),
        }
    };
}

pub(super) const TOUR: &[Stop] = &[
    Stop::Day { on: "2 March", says: "The first session. Nothing is known yet." },
    hook!("2026-03-02T09:00:00Z", "SessionStart", "march", r#","source":"startup""#),
    hook!(
        "2026-03-02T09:01:00Z",
        "UserPromptSubmit",
        "march",
        r#","prompt":"The staging database runs on Postgres 14. We decided to keep sessions in Postgres instead of Redis because Redis lost them twice when the node restarted.""#
    ),
    hook!(
        "2026-03-02T09:04:00Z",
        "Stop",
        "march",
        r#","last_assistant_message":"Understood. I moved the session table into Postgres.""#
    ),
    hook!(
        "2026-03-02T09:10:00Z",
        "UserPromptSubmit",
        "march",
        r#","prompt":"Run the whole suite. And always run cargo fmt before you commit.""#
    ),
    hook!(
        "2026-03-02T09:11:00Z",
        "PostToolUseFailure",
        "march",
        r#","tool_name":"Bash","tool_input":{"command":"cargo test --all-features"},"tool_use_id":"t1","error":"Exit code 101\nerror: the feature `simd` requires the nightly compiler","is_interrupt":false"#
    ),
    hook!(
        "2026-03-02T09:12:00Z",
        "Stop",
        "march",
        r#","last_assistant_message":"`cargo test --all-features` failed because the `simd` feature requires the nightly compiler. I ran the suite without it: 212 passed.""#
    ),
    hook!("2026-03-02T09:20:00Z", "SessionEnd", "march", r#","reason":"other""#),
    Stop::Day {
        on: "11 May",
        says: "Ten weeks later, a new session. The agent itself knows nothing of March.",
    },
    hook!("2026-05-11T10:00:00Z", "SessionStart", "may", r#","source":"startup""#),
    hook!(
        "2026-05-11T10:01:00Z",
        "UserPromptSubmit",
        "may",
        r#","prompt":"Actually, the staging database runs on Postgres 16 now, not 14.""#
    ),
    hook!(
        "2026-05-11T10:03:00Z",
        "Stop",
        "may",
        r#","last_assistant_message":"Noted, I will use Postgres 16.""#
    ),
    hook!(
        "2026-05-11T10:07:00Z",
        "PreToolUse",
        "may",
        r#","tool_name":"Bash","tool_input":{"command":"cargo test --all-features"},"tool_use_id":"t2""#
    ),
    hook!("2026-05-11T10:09:00Z", "UserPromptSubmit", "may", r#","prompt":"thanks, great""#),
    hook!("2026-05-11T10:20:00Z", "SessionEnd", "may", r#","reason":"other""#),
    Stop::Day { on: "12 May", says: "A third session asks. It has not heard of any of this." },
    hook!(
        "2026-05-12T07:30:00Z",
        "UserPromptSubmit",
        "third",
        r#","prompt":"Which version of Postgres does the staging database run?""#
    ),
    Stop::Day {
        on: "Later",
        says: "You look into it yourself. Nothing above was typed into memory by hand.",
    },
    Stop::Ask {
        at: "2026-05-12T08:00:00Z",
        says: "Every memory, and what was replaced:",
        runs: &["list", "--all"],
    },
    Stop::Ask {
        at: "2026-05-12T08:01:00Z",
        says: "What did we believe in April?",
        runs: &["search", "staging postgres", "--as-of", "2026-04-01"],
    },
    Stop::Ask {
        at: "2026-05-12T08:02:00Z",
        says: "Why was that said to the agent, and not something else?",
        runs: &["recall", "which postgres does staging run?", "--explain"],
    },
    Stop::Ask {
        at: "2026-05-12T08:03:00Z",
        says: "Everything is one log. Replaying it gives exactly what is stored:",
        runs: &["doctor", "--rebuild-check"],
    },
];

/// The moment after the last stop.
pub(super) const TOUR_ENDS: &str = "2026-05-12T08:10:00Z";
