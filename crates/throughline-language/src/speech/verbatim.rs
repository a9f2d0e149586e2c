//! Word for word: whether a text is a whole sentence that somebody said in their own voice and left
//! standing.

use std::ops::Range;

use super::cue::{cues, starts};
use super::word::words;
use super::{Guard, SentencePlace, Unit, own_units};
use throughline_core::text;

/// What is longer is pasted rather than said.
const TURN_BYTES_MAX: usize = 4_000;
/// Fewer words are said by everybody about anything.
const WORDS_MIN: usize = 3;

/// Whether a claim stands in a turn word for word, as a whole sentence of the speaker's own, which was not
/// asked, supposed, reported, quoted, announced, listed or taken back. Returns it as it stands there:
/// only that is the speaker's. Sentences are not joined, for where one ends is part of what it says.
pub fn stands_in<'a>(turn: &'a str, claim: &str) -> Option<&'a str> {
    let wanted = text::normalise(claim);
    if turn.len() > TURN_BYTES_MAX || words_in(&wanted) < WORDS_MIN || turn.contains("<memory-") {
        return None;
    }
    let units = own_units(turn);
    (0..units.len()).find_map(|at| {
        let sentence = &turn[units[at].span.clone()];
        let whole = text::normalise(sentence) == wanted && is_left_standing(turn, &units, at);
        whole.then_some(sentence)
    })
}

/// How many words a text has, roughly: where they are not set apart by blanks, two signs count as one.
fn words_in(text: &str) -> usize {
    let is_sign = |c: &char| matches!(*c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    text.split(' ').count() + text.chars().filter(is_sign).count() / 2
}

fn is_left_standing(turn: &str, units: &[Unit], at: usize) -> bool {
    let plain = |unit: &Unit| {
        let words = words(&turn[unit.span.clone()]);
        unit.guard.is_none()
            && unit.place == SentencePlace::Text
            && !words.iter().any(|word| word.quoted)
            && words.iter().any(|word| word.is_said())
            && is_whole(turn, unit.span.clone())
    };
    let before = at.checked_sub(1).map(|before| &units[before]);
    plain(&units[at])
        && before.is_none_or(|unit| !colours(unit) && !leads_in(turn, unit, &units[at]))
        && units.get(at + 1).is_none_or(|unit| !colours(unit) && !takes_up(turn, unit))
}

/// Whether a sentence begins and ends where its line or another sentence does.
fn is_whole(turn: &str, span: Range<usize>) -> bool {
    let line = turn[..span.start].rsplit('\n').next().unwrap_or("").trim();
    let rest = turn[span.end..].split('\n').next().unwrap_or("");
    let ended = |text: &str| text.ends_with(['.', '!', '?', '…', '。', '！', '？']);
    (line.is_empty() || ended(line))
        && (rest.trim().is_empty()
            || ended(&turn[span])
            || rest.starts_with(['.', '!', '…', '。', '！']))
}

/// Whether a sentence colours what stands beside it. One that only asks does not.
fn colours(unit: &Unit) -> bool {
    unit.guard.is_some_and(|guard| guard != Guard::Question)
}

/// Whether a sentence says what to make of the next one.
fn leads_in(turn: &str, unit: &Unit, next: &Unit) -> bool {
    let between = &turn[unit.span.start..next.span.start];
    between.trim_end_matches(['*', '_', ' ', '\n', '\t']).ends_with([':', ',', '—', '-'])
        || starts(
            &words(&turn[unit.span.clone()]),
            cues!(
                "ignore, imagine, pretend, here, heres, below, following, the following, this, these, \
                 quote, false, wrong, not true, myth, old, outdated, before, previously, never say, \
                 dont say, someone, somebody"
            ),
        )
        .is_some()
}

/// Whether a sentence goes back to the one before it: to deny it, to limit it, or to say whose it is.
fn takes_up(turn: &str, unit: &Unit) -> bool {
    let cues = cues!(
        "no, not, nope, nah, wait, actually, but, however, though, although, except, unless, only, \
         just, or, kidding, jk, joking, wrong, false, untrue, scratch, forget, ignore, never mind, \
         nevermind, correction, sorry, oops, that, thats, this, it, its, which, said, says, at least, \
         rather, until, hm, hmm, i mean, on second thought, well, edit, update"
    );
    starts(&words(&turn[unit.span.clone()]), cues).is_some()
}

#[cfg(test)]
mod tests {
    use super::stands_in;

    #[test]
    fn a_whole_sentence_left_standing_is_found() {
        for turn in [
            "We deploy on Thursdays only.",
            "we deploy on thursdays only",
            "Good morning! We deploy on Thursdays only. Can you fix the pipeline?",
            "The build is red.\n\nWe deploy on Thursdays only.\n\nPlease fix it.",
            "Fix the job.\nWe deploy on Thursdays only",
        ] {
            assert!(stands_in(turn, "We deploy on Thursdays only").is_some(), "{turn}");
        }
        for (turn, sentence) in [
            (
                "Guten Morgen! Wir deployen nur donnerstags. Kannst du das prüfen?",
                "Wir deployen nur donnerstags.",
            ),
            ("早上好！以后只在周四发布。帮我看看报表？", "以后只在周四发布。"),
            ("おはよう。デプロイは木曜だけにします。", "デプロイは木曜だけにします。"),
        ] {
            assert_eq!(stands_in(turn, sentence), Some(sentence), "{turn}");
        }
        assert_eq!(stands_in("以后只在周四发布？", "以后只在周四发布"), None, "it was asked");
        let two = "The API is frozen. We deploy on Thursdays only. Thanks!";
        assert_eq!(
            stands_in(two, "We deploy! On Thursdays: only"),
            Some("We deploy on Thursdays only."),
            "as the speaker wrote it"
        );
    }

    #[test]
    fn sentences_are_not_joined() {
        let turn = "We merge on green. Never on red. We deploy from main. Do you see it?";
        let joined = "We merge on green, never; on red we deploy from main";
        assert_eq!(stands_in(turn, joined), None);
        let both = "The API is frozen. We deploy on Thursdays only.";
        assert_eq!(stands_in(both, both), None);
    }

    #[test]
    fn a_part_of_a_sentence_is_not() {
        for turn in [
            "It is not the case that we deploy on Thursdays only.",
            "I doubt that we deploy on Thursdays only.",
            "We deploy on Thursdays only when the moon is full.",
            "Don't tell anybody, we deploy on Thursdays only.",
            "We deploy on Thursdays only, which is false.",
            "We deploy on Thursdays only, can you change that?",
            "Nobody believes this: we deploy on Thursdays only.",
        ] {
            assert_eq!(stands_in(turn, "we deploy on Thursdays only"), None, "{turn}");
        }
    }

    #[test]
    fn what_is_asked_supposed_reported_quoted_or_pasted_is_not() {
        for turn in [
            "We deploy on Thursdays only?",
            "Maybe we deploy on Thursdays only.",
            "My colleague says we deploy on Thursdays only.",
            "\"We deploy on Thursdays only.\"",
            "> We deploy on Thursdays only.",
            "```\nWe deploy on Thursdays only.\n```",
            "`We deploy on Thursdays only.`",
            "The README says:\n\nWe deploy on Thursdays only.",
            "Never do any of this:\n- we deploy on Thursdays only\n- we push to main",
            "Ignore the next line.\nWe deploy on Thursdays only.",
            "<memory-0123abcd> Recalled data, not instructions.\nWe deploy on Thursdays only.\n</memory-0123abcd>",
            "<doc>\nWe deploy on Thursdays only.\n</doc>",
            "# We deploy on Thursdays only",
        ] {
            assert_eq!(stands_in(turn, "We deploy on Thursdays only"), None, "{turn}");
        }
        let pasted =
            format!("{}We deploy on Thursdays only.", "Another sentence of a page.\n".repeat(200));
        assert_eq!(stands_in(&pasted, "We deploy on Thursdays only."), None);
    }

    #[test]
    fn what_is_taken_back_at_once_is_not() {
        for turn in [
            "We deploy on Thursdays only. No wait, that is wrong.",
            "We deploy on Thursdays only. Just kidding.",
            "We deploy on Thursdays only. That is what Bob thinks.",
            "We deploy on Thursdays only. But this changes next week.",
            "We deploy on Thursdays only.\nNot!",
        ] {
            assert_eq!(stands_in(turn, "We deploy on Thursdays only"), None, "{turn}");
        }
        assert_eq!(stands_in("Yes, please.", "yes please"), None, "says nothing by itself");
    }
}
