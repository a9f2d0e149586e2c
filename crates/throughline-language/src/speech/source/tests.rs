//! Sources, judged by a table of turns that people paste together.

use proptest::prelude::*;

use super::super::own_sentences;
use super::*;

fn own(turn: &str) -> Vec<&str> {
    own_sentences(turn, 0..turn.len()).into_iter().map(|one| one.text).collect()
}

/// What is in `RULE`'s place must never be the person's.
const RULE: &str = "We always deploy on Fridays.";

#[test]
fn what_was_pasted_is_never_the_persons_own() {
    for turn in [
        // After a task and a colon.
        "fix this: {}",
        "Summarise:\n{}",
        "please translate this to German: {}",
        "can you review the following text: {}",
        "Explain this error message:\n\n{} It broke.",
        "rewrite in plain words:\nHello all. {}",
        // Mail.
        "From: ada@example.com\nTo: me\nSubject: deploys\n\n{}",
        "what does she want?\n\nFrom: Ada\nDate: Mon\n\nHi,\n{}\nBest, Ada",
        "On Tue, 3 Mar 2026 at 10:12, Ada Lovelace <ada@example.com> wrote:\n{}",
        "Reply to her.\n\n-----Original Message-----\n{}",
        "Begin forwarded message:\n\n{}",
        "**From:** Ada\n**Sent:** Monday\n\n{}",
        // Chats.
        "[10:32] ada: {}",
        "[10:32:07] <ada> {}",
        "what now?\n\nAda Lovelace  10:32 AM\n{}\nBob  10:33 AM\nok",
        "10:32 ada: {}\n10:33 bob: sure",
        "<ada> {}\n<bob> no we do not",
        "ada [10:32]: {}",
        // Issues and pull requests.
        "## Describe the bug\n{}\n\n## To reproduce\nRun it.",
        "**Describe the bug**\n{}\n\n**Expected behaviour**\nIt works.",
        "ada commented 2 days ago\n{}",
        "ada opened this issue on 3 Mar\n{}",
        "Implement this.\n\n# Plan\n\n{}\n\n## Steps\n\nGo.",
        // Tickets, letters without a head, scenarios, criteria.
        "Can you implement this?\n\nTitle: Deploys\nReporter: Jane Doe\nDescription: {}",
        "Priority: High\nSteps to reproduce: {}\nStatus: open",
        "Hi team,\n\nas discussed. {} Please adapt.\n\nBest regards,\nJane",
        "what does he want?\n\nDear all,\n{}\nCheers,\nTom Miller",
        "Acceptance criteria:\n- {}\n- Users are warned",
        "do this\n\n**Acceptance criteria:**\n- {}",
        "Given a user\nWhen it is Friday\nThen {}",
        "Scenario\n- Given {}\n- When it is\n- Then it is",
        "As a manager I want releases. {}",
        // Pages.
        "== Deploys ==\n{}\n== See also ==\nMore.",
        "# Handbook\n\nWelcome.\n\n## Deploys\n\n{}",
        "is this still right?\n\n# Runbook\n{}\n# Contacts\nAda",
        // Marked pastes.
        "[Pasted text #1 +1 lines]\n{}",
        "[Pasted text #1]\n{}",
        "tell me what is wrong [Pasted text #2 +2 lines]\nHello.\n{}",
        "--- begin\n{}\n--- end",
        "=== START OF NOTES ===\n{}\n=== END ===",
        "look\n\n---\n{}\n---\nthanks",
        "<<< begin paste\n{}",
        // Code, fences, tags.
        "```\n{}\n```",
        "~~~text\n{}",
        "<document>\n{}\n</document>",
        "<system-reminder>\n{}\n</system-reminder>",
        "$ cat rules.txt\n{}",
        "me@host:~$ cat rules\n{}",
        // Quotes.
        "> {}",
        "She says \"{}\"",
        "“{}” is on the wall",
        // Programs.
        "You are a helpful support bot for Acme.\n\n{} Our refund window is 14 days.",
        "You are an expert reviewer. {} Answer in JSON.",
        "Act as a release manager. {} Be brief.",
    ] {
        let turn = turn.replace("{}", RULE);
        let kept = own(&turn);
        assert!(kept.iter().all(|one| !one.contains("Fridays")), "{turn:?}: {kept:?}");
    }
}

#[test]
fn what_stands_below_a_line_that_points_at_it_is_not_the_persons_own() {
    for turn in [
        "a customer sent this\n\n{}",
        "a customer sent this\n{}",
        "got this from the vendor:\n{}",
        "this is what the old wiki says\n\n{}",
        "this is what the old wiki says:\nHello.\n{}",
        "review this text\n\n{}",
        "Please review this text.\n\nHello.\n\n{}",
        "I got the following from support:\n\n{}",
        "we received this yesterday:\n\n{}",
        "what do you think of this?\n\n{}",
        "what does this mean?\n\n{}",
        "Good morning. My boss forwarded me this.\n\n{}",
        "here is the text from the landing page\n\n{}",
        "here's the mail\n\n{}",
        "see below\n\n{}",
        "this:\n\n{}",
        "The build is green.\n\nSomebody posted the following\n\n{}",
        "my aunt dropped this on me, look at this\n\nRemember that: {}",
        "I want you to summarise this\n\n{}",
        "a customer left us this note:\n\n{}",
        "I do not understand this\n\n{}",
        "what do we do with this mail\n\n{}",
        "Follow up on this customer mail\n\n{}",
        "never mind, look at this\n\n{}",
        "Note from the vendor:\n\n{}",
        "remember this mail from the customer?\n\n{}",
        "The supplier wrote:\n{}",
        "Oskar wrote me\n\n{}",
        "Their reply\n\n{}",
        "Translate to German\n\n{}",
        "proofread please\n\n{}",
        "pasting the ticket\n\n{}",
        "from slack\n\n{}",
        "would you mind looking at this\n\n{}",
        "I found this in their store:\n\n{}",
    ] {
        let turn = turn.replace("{}", RULE);
        let kept = own(&turn);
        assert!(kept.iter().all(|one| !one.contains("Fridays")), "{turn:?}: {kept:?}");
    }
}

#[test]
fn what_stands_below_a_line_that_says_it_is_theirs_stays_theirs() {
    for turn in [
        "remember this:\n\n{}",
        "note these rules:\n{}",
        "Always do the following:\n- {}",
        "What I mean is this:\n\n{}",
        "My answer:\n\n{}",
        "Read this carefully\n\n{}",
        "As I said:\n\n{}",
        "I told you this before:\n\n{}",
        "what I found:\n- {}",
        "Client:\n- {}",
        "Web page:\n\n{}",
        "Docs and support:\n\n{}",
        "Can you please keep this in mind:\n\n{}",
        "I want you to remember the following:\n\n{}",
        "Please note the following:\n\n{}",
        "ok here's how we do it from now on:\n- {}\n- No emojis.",
        "here is what we agreed with the vendor:\n\n{}",
        "I wrote these down:\n\n{}",
        "these are our rules:\n\n{}",
        "These are the rules:\n- {}",
        "here's the plan:\n\n{}",
        "do the following:\n\n{}",
        "follow these rules:\n\n{}",
        // A line that points at the work, or at something with a mark of its own.
        "I have fixed this bug in the parser\n\n{}",
        "I have changed this.\n\n{}",
        "We always do this\nbefore a release. {}",
        "Can you fix this bug in the parser?\n\n{}",
        "look at this:\n```\nlet x = 1;\n```\n{}",
        "a customer sent this\n\n> Where is my order?\n\n{}",
        "a customer sent this\n\n[Pasted text #1 +1 lines]\nWhere is it?\n{}",
    ] {
        let turn = turn.replace("{}", RULE);
        let kept = own(&turn);
        assert!(kept.iter().any(|one| one.contains("Fridays")), "{turn:?}: {kept:?}");
    }
}

#[test]
fn what_a_person_wrote_themselves_stays_theirs() {
    for turn in [
        "{}",
        "Decision: {}",
        "We decided these:\n- {}\n- No emojis in commits.",
        "Our rules:\n\n1. {}\n2. We squash.",
        "## Decisions\n\n- {}\n- We use Kafka.",
        "**Important:** {}",
        "Some context first.\nWe are three people.\n{}\nThe rest is in the wiki.",
        "Two things: {} And we squash.",
        "Frontend: React\nBackend: Go\nDatabase: Postgres\n{}",
        "Hi Claude,\n{}\nthanks!",
        "Status: {}",
        "Given that we are three people, {}",
        "When it is late, then wait. {}",
        "Hi team,\n\nplease adapt.\n\nBest regards,\nJane\n\n{}",
        "We meet at 10:30 on Mondays. {}",
        "To: be clear, {}",
        "Subject to change, but {}",
        "The team has agreed: {}",
        "{}\n\n```\nlet x = 1;\n```\n\nplease fix the code above",
        "{}\n\nfix this: the header is broken",
        "{}\n\nFrom: ada@example.com\nSubject: hi\n\nPlease call.",
        "{}\n\n---\nthanks",
        "You are right. {}",
        "You are a bit off, {}",
        "we call it \"blue green\", {}",
        "[Pasted text #1 +1 lines]\nHello there.\n{}",
        "the <name> placeholder stays. {}",
        "Look at src/main.rs:12 first. {}",
    ] {
        let turn = turn.replace("{}", RULE);
        let kept = own(&turn);
        assert!(
            kept.iter().any(|one| one.contains("Fridays")),
            "{turn:?}: {kept:?} {:?}",
            spans(&turn)
        );
    }
}

#[test]
fn a_megabyte_is_looked_at_in_no_time() {
    for piece in ["\"", "<a>", "10:32 a: b\n", "# x\n", "---\n", "fix: ", "> a\n", "` ", "“a "] {
        let turn = piece.repeat(1_000_000 / piece.len());
        let start = std::time::Instant::now();
        let count = spans(&turn).len();
        assert!(start.elapsed().as_secs_f64() < 5.0, "{piece:?}: {count}");
    }
}

proptest! {
    #[test]
    fn spans_cover_a_turn_without_gaps(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "\"", "“", "”", "> ", "```\n", "\n", "\n\n", "# a\n", "---\n", "[Pasted text #1 +2 lines]\n",
                "From: a\n", "[10:32] b: ", "fix this: ", "We use tabs. ", "<a-b>", "</a-b>", "$ x\n", "ß", " ",
            ]),
            0..24,
        ),
    ) {
        let turn = pieces.concat();
        let mut end = 0;
        for span in spans(&turn) {
            prop_assert_eq!(span.range.start, end);
            prop_assert!(turn.get(span.range.clone()).is_some());
            end = span.range.end;
        }
        prop_assert_eq!(end, turn.len());
    }
}
