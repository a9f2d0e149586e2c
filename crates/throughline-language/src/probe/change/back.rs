//! The way back: what held before holds again.

use std::ops::Range;

use super::shape::{lasts, statement, subject};
use super::{Preface, ProbedSentence, Word, at_any, cues, find_any, says, value, word};

pub(super) fn find(it: &ProbedSentence<'_>, preface: &Preface) -> Option<String> {
    went(it, preface.end).or_else(|| again(it, preface.end))
}

/// "We went back to npm", "we're back on npm", "we switched back from pnpm to npm".
fn went(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    let who = words.get(from).filter(|word| word.is("we i weve ive were im"))?;
    let to = at_any(
        words,
        from,
        cues!(
            "we|i|weve|ive (have|just) went|gone|moved|switched|rolled|changed|migrated|fell|go back to, \
        we|i|weve|ive (have|just) reverted|returned (back) to, were|im|we|i (are|am) back on|to|with|at, \
        we|i|weve|ive (have|just) brought back"
        ),
    );
    if let Some(to) = to {
        let old = value(words, to)?;
        let place = tail(words, old.end);
        return used(it, who, old, place);
    }
    let out = at_any(
        words,
        from,
        cues!("we|i|weve|ive (have|just) switched|moved|went|changed|migrated|rolled back from"),
    )?;
    let new = value(words, out)?;
    let to = words.get(new.end).filter(|word| word.is("to")).map(|_| new.end + 1)?;
    let old = value(words, to)?;
    let place = tail(words, old.end);
    used(it, who, old, place)
}

/// "The port is 80 again", "the port is back to 80", "we changed the port back to 80", "Ada is back as lead".
fn again(it: &ProbedSentence<'_>, from: usize) -> Option<String> {
    let words = &it.words;
    let gave_up = gave_up(words, from);
    let from = gave_up.unwrap_or(from);
    let end = (from..words.len()).find(|at| words[*at].pauses()).map_or(words.len(), |at| at + 1);
    let clause = words.get(from..end)?;
    let back = find_any(
        clause,
        cues!(
            "is|are back to|at|on, was|were|is|are|has|have (been) set|changed|put|moved|switched (back) back to, (has|have) went|gone back to"
        ),
    );
    if let Some(back) = back {
        let about = from..from + back.start;
        let old = value(words, from + back.end)?;
        let fits = fits(words, &about);
        return fits.then(|| is(it, about, old))?;
    }
    if let Some(back) = find_any(clause, cues!("back to")).filter(|_| clause[0].is("we i weve ive"))
    {
        let about = from + 2..from + back.start;
        let old = value(words, from + back.end)?;
        let fits = clause
            .get(1)
            .is_some_and(|word| word.is("changed set moved put switched turned brought"))
            && fits(words, &about);
        return fits.then(|| is(it, about, old))?;
    }
    if let Some(back) = find_any(clause, cues!("is|are back as")) {
        let (who, about) = (from..from + back.start, from + back.end..end);
        let plain = (1..=3).contains(&who.len()) && fits(words, &about);
        return plain.then(|| is(it, about, who))?;
    }
    let over = says(clause, cues!("again, after all, once more"));
    let kept = clause.iter().position(|word| word.is("again") || word.is("after once") && over)?;
    // "Ada is the lead again": what has the value stands last.
    let verb = find_any(
        clause,
        cues!(
            "is|are|uses|use|runs|has|prefer|prefers|like|want|goes|go|live|lives|works|reports|lasts"
        ),
    )?;
    let turned = clause.get(verb.end).is_some_and(|word| word.is("the our my"))
        && clause[verb.start].is("is are")
        && !clause[0].is("the our my");
    if turned {
        let (who, about) = (from..from + verb.start, from + verb.end..from + kept);
        let plain = (1..=3).contains(&who.len()) && fits(words, &about);
        return plain.then(|| is(it, about, who))?;
    }
    let right = statement(it, from..from + kept)
        .filter(|right| gave_up.is_some() || lasts(&word::words(right)))?;
    let about =
        if clause[0].is("we i") { from + verb.end..from + kept } else { from..from + verb.start };
    let not = at_any(words, end, cues!("not, no longer")).and_then(|at| value(words, at));
    (gave_up.is_some() || not.is_some() || !about.is_empty()).then_some(right)
}

/// "The port is 80".
fn is(it: &ProbedSentence<'_>, about: Range<usize>, value: Range<usize>) -> Option<String> {
    Some(format!("{} is {}", it.phrase(about)?, it.phrase(value)?))
}

fn fits(words: &[Word<'_>], about: &Range<usize>) -> bool {
    // The pause behind it, if there is one, sets it off.
    let last = about.end.checked_sub(1).and_then(|at| words.get(at));
    let inner = about.start..about.end - usize::from(last.is_some_and(Word::pauses));
    inner.is_empty() || subject(words, inner).is_some()
}

/// "Sidekiq didn't work out, …": where the rest begins.
fn gave_up(words: &[Word<'_>], from: usize) -> Option<usize> {
    let failed = find_any(
        &words[from.min(words.len())..],
        cues!("didnt work (out), did not work (out), was|is too|not, failed, turned out"),
    );
    let place = failed.filter(|place| (1..=4).contains(&place.start))?;
    let pause =
        (from + place.start..words.len()).find(|at| words[*at].pauses() && at + 1 < words.len())?;
    Some(pause + 1)
}

/// What something is used for, behind its name.
fn tail(words: &[Word<'_>], from: usize) -> Range<usize> {
    const ENDS: &str = "because since so and but when if which while last yesterday today please now again over after before";
    let opens = words.get(from).is_some_and(|word| word.is("for in on as at with"))
        && !words[from - 1].pauses();
    if !opens {
        return from..from;
    }
    let end = (from..words.len())
        .find(|at| words[*at].pauses() || words.get(at + 1).is_some_and(|next| next.is(ENDS)))
        .map_or(words.len(), |at| at + 1);
    from..end
}

fn used(
    it: &ProbedSentence<'_>,
    who: &Word<'_>,
    value: Range<usize>,
    place: Range<usize>,
) -> Option<String> {
    let verb = if who.is("i im ive") { "The user uses" } else { "We use" };
    let rest = if place.is_empty() { String::new() } else { format!(" {}", it.phrase(place)?) };
    Some(format!("{verb} {}{rest}", it.phrase(value)?))
}
