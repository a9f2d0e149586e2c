//! Shapes of a change: this and not that, from that to this, this in that one's place.

use std::ops::Range;

use super::preface::HERE;
use super::swap;
use super::{
    Preface, ProbedSentence, Word, at_any, content, cues, fact, find_any, rule, says, starts,
    tells, value,
};
use crate::speech::cue::Cues;
use crate::speech::word;

pub(super) fn find(it: &ProbedSentence<'_>, preface: &Preface) -> Option<String> {
    let from = preface.end;
    about(it)
        .or_else(|| denied(it, from))
        .or_else(|| was(it, from))
        .or_else(|| swap::moved(it, from))
        .or_else(|| swap::took_over(it, from))
        .or_else(|| swap::replaced(it, from))
        .or_else(|| swap::gone(it, from))
        .or_else(|| set_to(it, from))
        .or_else(|| history(it, from))
        .or_else(|| not_that(it, preface))
}

/// Words that somebody's statement cannot begin with.
const NO_SUBJECT: &str = "it its this that these those they them he she you your there what which who where when how \
    why if at in on for with by to over from under some any every each all no not and or but so because \
    since while after before his her their someone somebody everyone people let lets do dont does please";

/// Who is not us.
const STRANGERS: &str = "competitor competitors company colleague friend startup agency customer client vendor people \
    guys upstream they";

/// What a statement is about: the words up to its verb, if they can be that.
pub(super) fn subject(words: &[Word<'_>], range: Range<usize>) -> Option<Range<usize>> {
    const LONG: usize = 7;
    let said = words.get(range.clone()).filter(|said| (1..=LONG).contains(&said.len()))?;
    let fits = !said[0].is(NO_SUBJECT)
        && !said.iter().any(|word| word.pauses() || word.quoted)
        && !said.iter().enumerate().any(|(at, word)| {
            // "The client library" is no client.
            word.is(STRANGERS) && said.get(at + 1).is_none_or(|next| next.is("from at of in"))
        })
        && !content::dangles(said)
        && !said
            .iter()
            .skip(1)
            .any(|word| word.is("that which who told said says with i we you is are was if"));
    fits.then_some(range)
}

/// A subject that stands alone: with an article, or somebody's, or a name.
fn determined(words: &[Word<'_>], range: &Range<usize>) -> bool {
    let first = &words[range.start];
    first.is("the our my")
        || first.text.contains(['\'', '’'])
        || super::name::is_named(first)
        || first.text.starts_with(char::is_uppercase)
}

/// Verbs by which something has a value.
static STATES: Cues = Cues::of(
    "is|are|uses|use|runs|run|lives|live|goes|go|has|have|lasts|listens|works|reports|report|\
    prefer|prefers|want|wants|like|likes|expires|expire|deploy|deploys|host|store|stores|takes|take|sends|send|\
    defaults|default|belongs|belong|requires|require|supports|sits|sit|costs|keeps|keep|holds|hold|starts|ends|\
    called|named|is|needs|need|talks|writes|reads|serves|builds|points",
);

/// A statement made of some words: as said, without "now" and the like at its end.
pub(super) fn statement(it: &ProbedSentence<'_>, range: Range<usize>) -> Option<String> {
    let words = it.words.get(range.clone())?;
    let here = (1..words.len()).find(|at| at_any(words, *at, &HERE) == Some(words.len()));
    let words = &words[..here.unwrap_or(words.len())];
    let end = words.iter().rposition(|word| !word.is(FLEETING))? + 1;
    let words = &words[..end];
    let verb = find_any(words, &STATES).filter(|verb| verb.start > 0 && verb.end < words.len())?;
    subject(&it.words, range.start..range.start + verb.start)?;
    let plain = words.len() <= 20
        && !words[..verb.start].iter().any(|word| word.is("should would could can"));
    // Another clause before it says whose it is.
    let whole = !words.iter().rev().skip(1).any(Word::pauses);
    if !plain || !whole || content::dangles(words) {
        return None;
    }
    let said = content::render(it.text, words)?;
    Some(drop_lately(&said))
}

/// Words at the end that only say since when.
const FLEETING: &str =
    "now currently instead again already actually then there here anymore please too and but";

/// "Is now 5" says no more than "is 5".
fn drop_lately(said: &str) -> String {
    ["is", "are", "runs", "uses", "use", "goes", "go"].iter().fold(said.to_owned(), |said, verb| {
        ["now", "currently", "actually"].iter().fold(said, |said, lately| {
            said.replacen(&format!(" {verb} {lately} "), &format!(" {verb} "), 1)
        })
    })
}

pub(super) fn has(
    it: &ProbedSentence<'_>,
    subject: Range<usize>,
    value: Range<usize>,
) -> Option<String> {
    let subject_words = &it.words[subject.clone()];
    let plural = subject_words
        .last()
        .is_some_and(|word| word.lower.ends_with('s') && !word.lower.ends_with("ss"))
        && !subject_words.iter().any(|word| word.is("of for in on at behind"));
    let verb = if plural { "are" } else { "is" };
    Some(format!("{} {verb} {}", it.phrase(subject)?, it.phrase(value)?))
}

/// What somebody uses: "We use Typst for invoices".
pub(super) fn uses(it: &ProbedSentence<'_>, who: &Word<'_>, value: Range<usize>) -> Option<String> {
    let verb = if who.is("i im ive ill") { "The user uses" } else { "We use" };
    let rest = area(&it.words, value.end);
    let rest = if rest.is_empty() { String::new() } else { format!(" {}", it.phrase(rest)?) };
    Some(format!("{verb} {}{rest}", it.phrase(value)?))
}

/// What something is used for, behind its name: "for invoices", "on staging".
pub(super) fn area(words: &[Word<'_>], from: usize) -> Range<usize> {
    const ENDS: &str = "because since so and but when if which while last yesterday today please now again over \
        anymore any after before instead this though just only";
    let opens = words.get(from).is_some_and(|word| word.is("for in on as at to with"))
        && (from == 0 || !words[from - 1].pauses());
    if !opens {
        return from..from;
    }
    let end = (from..words.len())
        .find(|at| words[*at].pauses() || words.get(at + 1).is_some_and(|next| next.is(ENDS)))
        .map_or(words.len(), |at| at + 1);
    if end - from > 7 { from..from } else { from..end }
}

/// Where the contrast stands, and the value that does not hold: "…, not Y", "instead of Y".
pub(super) fn contrast(words: &[Word<'_>], from: usize) -> Option<(usize, Range<usize>)> {
    static SET_OFF: Cues = Cues::of(
        "not, never, no longer, (it) was never, it used to be, used to be, formerly, previously, it was, not the, \
        i mixed|confused that|it|this (up) with, and not, but not",
    );
    static JOINED: Cues = Cues::of("and not, but not, rather than, instead of, as opposed to");
    static GONE: Cues = Cues::of("is|are gone|history|dead|out|retired|removed");
    (from..words.len()).find_map(|at| {
        let apart = at == from || words[at - 1].pauses() || words[at].bracketed;
        // "…, Postgres 14 is gone".
        let left = value(words, at).filter(|left| {
            let gone = |verb: usize| at_any(words, verb, &GONE).is_some();
            at > from && apart && (at + 1..left.end).any(gone)
        });
        if let Some(left) = left {
            let end = (left.start..left.end).find(|at| words[*at].is("is are")).unwrap_or(left.end);
            return (end > left.start).then_some((at, left.start..end));
        }
        let joined = at_any(words, at, &JOINED);
        let end = at_any(words, at, &SET_OFF).filter(|_| apart).or(joined)?;
        Some((at, value(words, end)?))
    })
}

/// "Staging runs on Postgres 16, not 14", "French for commit messages, not German".
fn not_that(it: &ProbedSentence<'_>, preface: &Preface) -> Option<String> {
    let (words, from) = (&it.words, preface.end);
    let (at, old) = contrast(words, from).filter(|(at, _)| *at > from)?;
    let right = from..at;
    if let Some(said) = statement(it, right.clone()) {
        let read = word::words(&said);
        let known = fact::slot_of(&read).is_some() || rule::find(&read).is_some();
        let strong = preface.corrects
            || preface.lately
            || preface.opened
            || says(&words[right.clone()], cues!("actually, really, in fact, now"))
            || known
            || tells(&words[old])
            || tells(&words[right.start + 1..right.end]);
        return strong.then_some(said);
    }
    // "Terraform for infrastructure instead of Pulumi".
    let from = at_any(words, from, cues!("its, it is, its now")).unwrap_or(from);
    let new = value(words, from).filter(|_| at > from)?;
    let place = area(words, new.end);
    let whole = place.end == at && !place.is_empty() && !words[new.start].is(NO_SUBJECT);
    let ordered = says(&words[new.clone()], &STATES)
        || words[new.start].is("use put make run do keep add write");
    let strong = preface.corrects || preface.lately || preface.opened || tells(&words[new.clone()]);
    let right = format!("We use {} {}", it.phrase(new)?, it.phrase(place)?);
    (whole && !ordered && strong).then_some(right)
}

/// "I was wrong about the port: it's 81, not 80".
fn about(it: &ProbedSentence<'_>) -> Option<String> {
    let words = &it.words;
    let end = starts(
        words,
        cues!(
            "i|we was|were wrong|mistaken about, correction on|about|for, to correct myself on, about"
        ),
    )?;
    let pause = (end..words.len()).find(|at| words[*at].pauses())?;
    let subject = subject(words, end..pause + 1).or_else(|| {
        // The pause behind it is what sets it off.
        let said = &words[end..=pause];
        (said.len() <= 7 && !said[0].is(NO_SUBJECT)).then_some(end..pause + 1)
    })?;
    let from = at_any(words, pause + 1, cues!("its, it is, thats, that is"))?;
    let (at, _) = contrast(words, from)?;
    let new = value(words, from).filter(|_| at > from)?;
    has(it, subject, new)
}

/// "The port isn't 80, it's 81", "the queue is no longer Celery", "Ada isn't the lead any more, Bo is".
fn denied(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    static DENIES: Cues =
        Cues::of("isnt, arent, is not, are not, is no longer, are no longer, its not");
    let words = &it.words;
    if let Some(end) = at_any(
        words,
        from,
        cues!(
            "its|it no longer true that, its|it is no longer true that, its|it isnt|not true anymore that"
        ),
    ) {
        let verb = find_any(words.get(end..)?, &STATES)?;
        let rest = end + verb.start..words.len();
        let said = it.phrase(end..words.len())?;
        (rest.len() > 1).then_some(())?;
        return Some(format!("No longer: {said}"));
    }
    let place =
        find_any(words.get(from..)?, &DENIES).map(|place| from + place.start..from + place.end)?;
    let about = subject(words, from..place.start)?;
    let mut old = value(words, place.end)?;
    if words[old.start].is("the our my") {
        // "The reviewer for billing" is one thing.
        old.end = area(words, old.end).end;
    }
    let rest = old.end;
    let more = at_any(words, rest, cues!("anymore, any more, any longer")).unwrap_or(rest);
    let new = at_any(
        words,
        more,
        cues!("(but) its, (but) it is, but (rather), but we use, we use, use, (its) now (its)"),
    );
    if let Some(new) = new.and_then(|end| value(words, end)) {
        return has(it, about, new);
    }
    // "Ada isn't the lead any more, Bo is": the other way round.
    if let Some(is) = (more..words.len())
        .find(|at| words[*at].is("is"))
        .filter(|at| *at > more && *at - more <= 3)
    {
        return has(it, old, more..is);
    }
    let ended = says(&words[place], cues!("longer")) || more > rest;
    let plain = ended
        && !words[old.start]
            .is("needed necessary available supported maintained used working required \
        possible a an true relevant here there");
    plain.then(|| it.phrase(about.start..old.end))?
}

/// "The shell was fish, now it's zsh", "Ada left, the lead is Bo now".
fn was(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    if let Some(place) = find_any(words.get(from..)?, cues!("was, were, used to be")) {
        let about = subject(words, from..from + place.start)?;
        let old = value(words, from + place.end)?;
        let now = at_any(
            words,
            old.end,
            cues!(
                "(but|and) now its, (but|and) now it is, but its now, its now, (and|but) is now, now"
            ),
        )?;
        let new = value(words, now)?;
        return has(it, about, new);
    }
    let place = find_any(
        words.get(from..)?,
        cues!("left, quit, is gone, handed over to, retired, (has) moved on"),
    )?;
    let old = from..from + place.start;
    let after = from + place.end;
    let named = (1..=3).contains(&old.len())
        && !words[old.start].is(NO_SUBJECT)
        && !words[old.start].is("we i");
    let clause = (after.saturating_sub(1)..words.len()).find(|at| words[*at].pauses())? + 1;
    let clause = clause + usize::from(words.get(clause).is_some_and(|word| word.is("so and")));
    let is = find_any(words.get(clause..)?, cues!("is (now)"))?;
    let about =
        subject(words, clause..clause + is.start).filter(|about| determined(words, about))?;
    let new = value(words, clause + is.end)?;
    named.then(|| has(it, about, new))?
}

/// "The limit was raised to 50, it used to be 20".
fn set_to(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    let place = find_any(
        words.get(from..)?,
        cues!(
            "has|have|was|were|got (been|now) changed|set|raised|lowered|increased|reduced|bumped|switched|\
            updated|moved|extended|renamed to"
        ),
    )?;
    let about =
        subject(words, from..from + place.start).filter(|about| determined(words, about))?;
    let new = value(words, from + place.end)?;
    has(it, about, new)
}

/// "Rails is history in the admin panel".
fn history(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    let place = find_any(
        words.get(from..)?,
        cues!("is|are history|dead, has|have been retired|removed|abandoned"),
    )?;
    let old = from..from + place.start;
    let rest = area(words, from + place.end);
    let named = (1..=3).contains(&old.len())
        && !words[old.start].is(NO_SUBJECT)
        && !words[old.start].is("the we i");
    it.phrase(from..rest.end).filter(|_| named && !rest.is_empty())
}

/// "The error tracker is Sentry now", "as of today CI runs on Jenkins": the old value is not named.
pub(super) fn now(it: &ProbedSentence<'_>, preface: &Preface) -> Option<String> {
    let (words, from) = (&it.words, preface.end);
    let end = (from..words.len()).find(|at| words[*at].pauses()).map_or(words.len(), |at| at + 1);
    let lately = preface.lately || says(&words[from..end], cues!("now, nowadays, by now"));
    let right = statement(it, from..end).filter(|_| lately && end == words.len())?;
    let read = word::words(&right);
    let verb = find_any(&read, &STATES)?;
    let about = read.get(..verb.start)?;
    let said = read.get(verb.end..)?;
    let fits = lasts(&read) || preface.lately && !doing(&read[verb.start], said) && said.len() <= 6;
    let who = &read[0];
    // What it is used for says more than who uses it.
    let of_us = who.is("we i") || right.starts_with("The user ");
    let what = if of_us {
        let purpose = said.iter().position(|word| word.is("for in on as at"))?;
        // "Tabs for indentation", but "screenshots in dark mode".
        let before = said[purpose].is("in as") && read[verb.start].is("want wants like likes");
        if before { &said[..purpose] } else { &said[purpose + 1..] }
    } else {
        about
    };
    (fits && !what.is_empty()).then_some(right)
}

/// Whether a statement is about how things are, rather than how they are doing.
pub(super) fn lasts(words: &[Word<'_>]) -> bool {
    let Some(verb) = find_any(words, &STATES) else { return false };
    let (about, said) = (&words[..verb.start], &words[verb.end..]);
    let opened = about.first().is_some_and(|word| word.is("the our my we i") || word.text == "The");
    let known = fact::slot_of(words).is_some() || rule::find(words).is_some();
    (known || opened && (tells(said) || said.len() <= 3))
        && !doing(&words[verb.start], said)
        && (1..=8).contains(&said.len())
}

/// Whether what is said is how something is doing.
fn doing(verb: &Word<'_>, said: &[Word<'_>]) -> bool {
    static DOING: Cues = Cues::of(
        "fine, green, red, working, broken, done, ready, ok, okay, good, better, worse, passing, failing, in, up, \
        down, not, clean, correct, wrong, slow, slower, fast, faster, gone, able, too, very, a, an, being, getting, \
        complete, empty, full, stuck, missing, open, closed, merged, fixed, clear, the same, available, possible, \
        set, all, no, to, happy, flaky, dirty, stale, on, off, it, there, more, less, done",
    );
    verb.is("is are") && starts(said, &DOING).is_some()
}
