//! The way back: what held before holds again.

use super::shape::{lasts, statement, subject};
use super::{Change, Preface, Statement, Word, at_any, cues, find_any, says, value, word};

pub(super) fn find(it: &Statement<'_>, preface: &Preface) -> Option<Change> {
    went(it, preface.end).or_else(|| again(it, preface.end))
}

/// "We went back to npm", "we're back on npm", "we switched back from pnpm to npm".
fn went(it: &Statement<'_>, from: usize) -> Option<Change> {
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
        let right = used(it, who, old.start..old.end, place.clone())?;
        let wrong = failed(it, place.end).or_else(|| subject_of(it, place, &right))?;
        return Some(Change { wrong, right, gone: false });
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
    Some(Change { wrong: it.phrase(new)?, right: used(it, who, old, place)?, gone: false })
}

/// "The port is 80 again", "the port is back to 80", "we changed the port back to 80", "Ada is back as lead".
fn again(it: &Statement<'_>, from: usize) -> Option<Change> {
    let words = &it.words;
    let (from, gave_up) = gave_up(it, from);
    let end = (from..words.len()).find(|at| words[*at].pauses()).map_or(words.len(), |at| at + 1);
    let clause = words.get(from..end)?;
    let not = at_any(words, end, cues!("not, no longer"))
        .and_then(|at| value(words, at))
        .and_then(|old| it.phrase(old));
    let wrong = |about: Option<String>| gave_up.clone().or_else(|| not.clone()).or(about);
    let back = find_any(
        clause,
        cues!(
            "is|are back to|at|on, was|were|is|are|has|have (been) set|changed|put|moved|switched (back) back to, (has|have) went|gone back to"
        ),
    );
    if let Some(back) = back {
        let about = from..from + back.start;
        let old = value(words, from + back.end)?;
        let named = it.phrase(about.clone()).filter(|_| fits(words, &about))?;
        let right = format!("{named} is {}", it.phrase(old)?);
        return Some(Change { wrong: wrong(it.phrase(about))?, right, gone: false });
    }
    if let Some(back) = find_any(clause, cues!("back to")).filter(|_| clause[0].is("we i weve ive"))
    {
        let about = from + 2..from + back.start;
        let old = value(words, from + back.end)?;
        let fits = clause
            .get(1)
            .is_some_and(|word| word.is("changed set moved put switched turned brought"))
            && fits(words, &about);
        let right =
            format!("{} is {}", it.phrase(about.clone()).filter(|_| fits)?, it.phrase(old)?);
        return Some(Change { wrong: wrong(it.phrase(about))?, right, gone: false });
    }
    if let Some(back) = find_any(clause, cues!("is|are back as")) {
        let (who, about) = (from..from + back.start, from + back.end..end);
        let plain = (1..=3).contains(&who.len()) && fits(words, &about);
        let right =
            format!("{} is {}", it.phrase(about.clone()).filter(|_| plain)?, it.phrase(who)?);
        return Some(Change { wrong: wrong(it.phrase(about))?, right, gone: false });
    }
    let over = says(clause, cues!("again, after all, once more"));
    let kept = clause.iter().position(|word| word.is("again") || word.is("after once") && over)?;
    // "Ada is the lead again": what has the value stands last.
    let is = find_any(
        clause,
        cues!(
            "is|are|uses|use|runs|has|prefer|prefers|like|want|goes|go|live|lives|works|reports|lasts"
        ),
    )?;
    let turned = clause.get(is.end).is_some_and(|word| word.is("the our my"))
        && clause[is.start].is("is are")
        && !clause[0].is("the our my");
    if turned {
        let (who, about) = (from..from + is.start, from + is.end..from + kept);
        let plain = (1..=3).contains(&who.len()) && fits(words, &about);
        let named = it.phrase(about.clone()).filter(|_| plain)?;
        let right = format!("{named} is {}", it.phrase(who)?);
        return Some(Change { wrong: wrong(it.phrase(about))?, right, gone: false });
    }
    let right = statement(it, from..from + kept)
        .filter(|right| gave_up.is_some() || lasts(&word::words(right)))?;
    let about =
        if clause[0].is("we i") { from + is.end..from + kept } else { from..from + is.start };
    Some(Change { wrong: wrong(it.phrase(about))?, right, gone: false })
}

fn fits(words: &[Word<'_>], about: &std::ops::Range<usize>) -> bool {
    // The pause behind it, if there is one, sets it off.
    let last = about.end.checked_sub(1).and_then(|at| words.get(at));
    let inner = about.start..about.end - usize::from(last.is_some_and(Word::pauses));
    inner.is_empty() || subject(words, inner).is_some()
}

/// "Sidekiq didn't work out, …": where the rest begins, and what was given up.
fn gave_up(it: &Statement<'_>, from: usize) -> (usize, Option<String>) {
    let words = &it.words;
    let failed = find_any(
        &words[from.min(words.len())..],
        cues!("didnt work (out), did not work (out), was|is too|not, failed, turned out"),
    );
    let Some(place) = failed.filter(|place| (1..=4).contains(&place.start)) else {
        return (from, None);
    };
    let pause =
        (from + place.start..words.len()).find(|at| words[*at].pauses() && at + 1 < words.len());
    pause.map_or((from, None), |at| (at + 1, it.phrase(from..from + place.start)))
}

/// What did not work, said behind it: "…, pnpm was too slow", "… because pnpm kept crashing".
fn failed(it: &Statement<'_>, from: usize) -> Option<String> {
    let words = it.words.get(from..)?;
    let skip = usize::from(words.first().is_some_and(|word| word.is("because since as")));
    let verb = find_any(
        words.get(skip..)?,
        cues!("was|were|is|are|kept|keeps|didnt|did|doesnt|caused|turned|broke|failed|had"),
    )?;
    (1..=3)
        .contains(&verb.start)
        .then(|| it.phrase(from + skip..from + skip + verb.start))
        .flatten()
}

fn tail(words: &[Word<'_>], from: usize) -> std::ops::Range<usize> {
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
    it: &Statement<'_>,
    who: &Word<'_>,
    value: std::ops::Range<usize>,
    place: std::ops::Range<usize>,
) -> Option<String> {
    let verb = if who.is("i im ive") { "The user uses" } else { "We use" };
    let rest = if place.is_empty() { String::new() } else { format!(" {}", it.phrase(place)?) };
    Some(format!("{verb} {}{rest}", it.phrase(value)?))
}

/// What is spoken of, where what is given up is not named.
fn subject_of(it: &Statement<'_>, place: std::ops::Range<usize>, right: &str) -> Option<String> {
    if place.len() > 1 { it.phrase(place.start + 1..place.end) } else { Some(right.to_owned()) }
}
