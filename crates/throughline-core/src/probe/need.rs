//! What users want of the product and its code, and how they say that things are.

use std::ops::Range;

use super::content::{dangles, is_one_off};
use super::{Statement, name};
use crate::Kind;
use crate::patch::Operation;
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::Word;

const WORDS_MAX: usize = 36;

/// A requirement, a limit of scope, a name that was given, or an explanation.
pub(super) fn find(it: &Statement<'_>) -> Option<Operation> {
    let words = &it.words;
    if !(4..=WORDS_MAX).contains(&words.len()) || is_at_hand(words) {
        return None;
    }
    let none = there_is_none(it);
    if none.is_some() {
        return none;
    }
    let (kind, confidence, span) = wanted(words)
        .or_else(|| left_out(words))
        .or_else(|| named(words))
        .or_else(|| placed(words))
        .or_else(|| bound(words))
        .or_else(|| unless(words))
        .or_else(|| explained(words))?;
    it.claim(kind, span, confidence).map(Operation::Remember)
}

type Told = Option<(Kind, f64, Range<usize>)>;

/// Whether it belongs to the review, the run or the answer at hand.
fn is_at_hand(words: &[Word<'_>]) -> bool {
    static HERE: Cues = Cues::of(
        "again, right now, for now, this time, today, first, above, below, here, there, \
        the following, so far, next, you, your, youre, ill, me, please, the same, \
        that|this when|if|unless|for, plan, as intended|expected, \
        should be good|fine|easy|enough|ok|okay|able, i, my, why, instead then, same",
    );
    (0..words.len()).any(|at| {
        let standing =
            at_any(words, at, cues!("there should|must|is|are, first class|party")).is_some();
        !standing && at_any(words, at, &HERE).is_some()
    })
}

/// Whether something is spoken of by its name, rather than by a pointing word.
fn anchored(words: &[Word<'_>]) -> bool {
    words.iter().enumerate().any(|(at, word)| {
        name::is_named(word)
            || at > 0 && name::is_named_inside(word)
            || word.text.starts_with("--")
            || word.text.split_once('/').is_some_and(|(a, b)| a.len() > 1 && b.len() > 1)
    })
}

/// "We want the flag to be `--x`", "we don't want a debug file".
fn wanted(words: &[Word<'_>]) -> Told {
    static WANTING: Cues = Cues::of(
        "we (also|still|really|only|do) want|need, we dont|do (not) (ever) want|need (to), \
        lets (just) have|keep|put|move|change|rename",
    );
    // "In the search view, we want …"
    let from = (0..words.len().min(10)).find(|at| {
        (*at == 0 || words[at - 1].mark == ',') && at_any(words, *at, &WANTING).is_some()
    })?;
    let end = at_any(words, from, &WANTING)?;
    let object = words.get(end..)?;
    let first = object.first()?;
    let denied = words[from..end].iter().any(|word| word.is("dont not"));
    let vague = first.is("it this that these those them one something to some any anything more")
        && !(first.is("to") && object.len() >= 5)
        || object.len() < 3;
    let task = first.is("to") && object.get(1).is_some_and(|word| word.is(TASKS));
    let weighty = anchored(object) || denied && object.len() >= 4 || says(object, cues!("to be"));
    (!vague && !task && weighty && !dangles(words)).then_some((
        Kind::Decision,
        0.65,
        0..words.len(),
    ))
}

const TASKS: &str = "fix look check see do be test review update address know figure find start finish talk \
    discuss think go proceed understand investigate debug try run ensure";

/// "Leave Windows out", "no backwards compatibility needed".
fn left_out(words: &[Word<'_>]) -> Told {
    let leaves = starts(words, cues!("leave|keep")).is_some()
        && find_any(words, cues!("out of scope, out (for|of)")).is_some_and(|out| out.start <= 7);
    let needless = starts(words, cues!("no, theres no, there is no")).is_some()
        && find_any(
            words,
            cues!("needed, necessary, required, is needed|necessary|required, need for"),
        )
        .is_some_and(|needed| (2..=7).contains(&needed.start));
    let skipped = find_any(
        words,
        cues!(
            "is|are (explicitly|deliberately) out of scope, is|are not a goal, is|are a non-goal"
        ),
    )
    .is_some_and(|place| (1..=7).contains(&place.start));
    ((leaves || needless || skipped) && !dangles(words) && !is_one_off(words)).then_some((
        Kind::Decision,
        0.65,
        0..words.len(),
    ))
}

/// "Call it `lore`" cannot stand alone; "call the new package `session`" can.
fn named(words: &[Word<'_>]) -> Told {
    let end = starts(
        words,
        cues!(
            "(lets|well) (will) (just) call|name the|our, lets|well (will) (just) rename (the|our)"
        ),
    )?;
    let object = words.get(end..).filter(|object| (2..=12).contains(&object.len()))?;
    let given =
        object.last().is_some_and(|word| word.code || word.quoted || name::is_named_inside(word));
    (given && !dangles(words)).then_some((Kind::Decision, 0.65, 0..words.len()))
}

/// "Tests go in tests/it", "new commands live in pkg/cmd".
fn placed(words: &[Word<'_>]) -> Told {
    let place =
        find_any(words, cues!("go|goes|belong|belongs|live|lives in|into|under|to|at (the)"))?;
    let subject = words.get(..place.start).filter(|subject| (1..=6).contains(&subject.len()))?;
    let object = words.get(place.end..).filter(|object| (1..=8).contains(&object.len()))?;
    let plain: Vec<Word<'_>> =
        subject.iter().filter(|word| !word.is("test tests")).cloned().collect();
    let fits = (plain.is_empty() || subject_fits(&plain))
        && anchored(object)
        && !dangles(words)
        && !is_one_off(words);
    fits.then_some((Kind::Principle, 0.7, 0..words.len()))
}

/// "Stats should have the id, not the name", "the parser must support CRLF".
fn bound(words: &[Word<'_>]) -> Told {
    let place = find_any(
        words,
        cues!(
            "should|must|shouldnt|mustnt (not) (only|also|always|never) *, needs|need to (only|also) *, \
            has|have to (only|also) *, is|are|was|were supposed to *, \
            shall (not) *, is|are (only) (ever) allowed|expected|meant|intended to *"
        ),
    )?;
    let subject = words.get(..place.start)?;
    if !subject_fits(subject) || words.len() < place.end + 2 {
        return None;
    }
    let rest = &words[place.end - 1..];
    let idle = rest[0].is("work pass build compile help make go look be have see know fix exist")
        && !(anchored(rest) || rest.len() >= 6);
    let there = at_any(subject, 0, cues!("there")).is_some();
    let known = anchored(words);
    (!idle && known && (there || !dangles(words))).then_some((Kind::Decision, 0.65, 0..words.len()))
}

/// "Don't write to stdout unless `--verbose` is set".
fn unless(words: &[Word<'_>]) -> Told {
    starts(words, cues!("dont, do not, never, only"))?;
    let when = find_any(words, cues!("unless, except when|in|for, only when|if, when|if"))
        .filter(|when| when.start >= 3 && words.len() >= when.end + 2)?;
    let conditional = words[when.start].is("unless except") || words[0].is("only");
    (conditional && anchored(words) && !dangles(words)).then_some((
        Kind::Principle,
        0.65,
        0..words.len(),
    ))
}

/// "Normally when syncing we send a HEAD request", "messages are append only",
/// "`WatchAgents` is exposed as an API to the editor".
fn explained(words: &[Word<'_>]) -> Told {
    let usual = starts(words, cues!("normally, usually, typically, as a rule")).is_some()
        && words.len() >= 7
        && anchored(words)
        && says(words, cues!("we, is, are, the"));
    let place = find_any(
        words,
        cues!(
            "is|are (currently) only used|needed|called|set|available|valid|meant|for, \
            is|are (currently) used (only) by|for|in|as|when, is|are exposed as|to|by|via|through, \
            is|are append only, is|are append-only|immutable|idempotent|read-only|optional|agnostic, \
            is|are not thread-safe|idempotent|supported, \
            is|are meant|intended to|for, is|are responsible for, is|are the responsibility of, \
            is|are consumed|produced|generated|written|read|parsed by, \
            is|are shared|split between|across|by|with, is|are always|never *, \
            comes|come from, gets|get *, is|are part of, is|are a (private|public) *, \
            doesnt|dont support|have|implement|handle|include|expose|need|know, \
            does|do not support|have|implement|handle|include|expose|need|know, \
            uses|returns|writes|reads|stores|adds|implements|contains|holds|takes|creates|runs|calls|means"
        ),
    )
    .filter(|place| (1..=8).contains(&place.start) && words.len() > place.end);
    let plain = says(words, cues!("append only, append-only, immutable, idempotent, only for"));
    let told = place.as_ref().is_some_and(|place| {
        let subject = &words[..place.start];
        let pointing =
            words[place.end - 1..].iter().take(2).any(|word| word.is("it them this that"));
        !pointing
            && subject_fits(subject)
            && (anchored(subject) || subject.len() >= 2 && anchored(words) || plain)
            && !says(&words[place.start..], cues!("wrong, broken, bad, lame, weird, odd, missing"))
    });
    let end = if dangles(words) {
        // What follows the claim may point elsewhere.
        let from = place.map_or(words.len(), |place| place.end - 1);
        (from..words.len()).find(|at| words[*at].pauses()).map_or(0, |at| at + 1)
    } else {
        words.len()
    };
    ((usual || told) && end > 2 && !dangles(&words[..end])).then_some((Kind::Fact, 0.6, 0..end))
}

/// "Design it so that there is no HEAD request before a sync", "there should be no polling".
fn there_is_none(it: &Statement<'_>) -> Option<Operation> {
    let words = &it.words;
    let place = find_any(
        words,
        cues!("so (that) there is|are no|only|never, there should|must (only|always) (not) be"),
    )?;
    let object = words.get(place.end..).filter(|object| object.len() >= 3 && anchored(object))?;
    if dangles(object) {
        return None;
    }
    it.claim(Kind::Decision, place.end..words.len(), 0.65).map(Operation::Remember)
}

/// Whether these words name what is spoken of.
fn subject_fits(words: &[Word<'_>]) -> bool {
    const NONE: &str = "it its this that they them he she you your i im these those what which who where when how \
        if why one ones something anything everything nobody but or because since then so result results \
        output thing things way tests test build fix we weve there are is was does do did not";
    const BARE: &str = "user users code app tool file project repo function command";
    const ORDERS: &str = "and make ensure check verify see notice note look think add let lets put use keep \
        remove be";
    let Some(last) = words.last() else {
        return false;
    };
    (1..=9).contains(&words.len())
        && !words.iter().any(|word| word.is(NONE))
        && words.iter().all(|word| !matches!(word.mark, '.' | ';' | '!' | '?' | '—'))
        && !last.pauses()
        && (words.len() > 1 || !words[0].is(BARE))
        && !words[0].is(ORDERS)
}
