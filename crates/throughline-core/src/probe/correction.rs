//! Corrections: what was believed wrongly, and what is right.

use std::ops::Range;

use super::content::{self, is_one_off};
use super::{Said, Statement, fact, name, rule};
use crate::Kind;
use crate::patch::{Operation, Retract};
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::{self, Word};
use crate::speech::{self, Guard};

/// Something put right, or taken back.
pub(super) fn find(it: &Statement<'_>, context: &[Said<'_>]) -> Option<Operation> {
    switched(it)
        .or_else(|| deprecated(it))
        .or_else(|| no_longer(it))
        .or_else(|| forgotten(it))
        .or_else(|| not_that(it, context))
}

/// Whether the sentence opens as a contradiction: "no,", "actually", "that's wrong".
fn contradicts(it: &Statement<'_>) -> bool {
    it.lead.iter().any(|word| word.is("no nope actually nah wait"))
}

/// "We switched from npm to pnpm".
fn switched(it: &Statement<'_>) -> Option<Operation> {
    let place = find_any(
        &it.words,
        cues!("switched|moved|migrated|changed|switching|moving|migrating (over|away) from"),
    )?;
    let to = (place.end..it.words.len()).find(|at| it.words[*at].is("to"))?;
    let before = &it.words[..place.start];
    let elsewhere = starts(before, cues!("(over) at|with, in the|their setup|case of")).is_some();
    let ours = before.iter().any(|word| word.is("we weve i ive were"))
        || before.first().is_some_and(|word| word.is("the our this"))
            && before.get(1..).is_some_and(name::any_named);
    let ours = ours && !elsewhere;
    let old = it.phrase(place.end..to)?;
    let who = if it.words[..place.start].iter().any(|word| word.is("i ive")) {
        "The user uses"
    } else {
        "We use"
    };
    let short = to - place.end <= 5 && it.words.len() - to <= 12 && !content::dangles(&it.words);
    let right = it.said()?;
    let new = it.phrase(to + 1..it.words.len()).unwrap_or_default();
    let slot = fact::slot_of(&word::words(&format!("We use {new}"))).filter(|_| who == "We use");
    (ours && short && !is_one_off(&it.words)).then(|| {
        let wrong = format!("{who} {}", small_name(&it.words[place.end], &old));
        it.correct(wrong, right, Kind::Decision, 0.85, slot)
    })
}

/// "X is deprecated, use Y".
fn deprecated(it: &Statement<'_>) -> Option<Operation> {
    let place = find_any(
        &it.words,
        cues!(
            "is|are (now|officially) deprecated|obsolete|outdated|unmaintained|retired|gone, \
        is|are no longer maintained|supported"
        ),
    )?;
    let instead = find_any(
        &it.words[place.end..],
        cues!("use, switch to, replaced by, in favor|favour of, we use"),
    )?;
    let old = it.phrase(0..place.start).filter(|_| (1..=5).contains(&place.start))?;
    let new = &it.words[place.end + instead.end..];
    if content::dangles(&it.words) || new.is_empty() {
        return None;
    }
    let right = it.said()?;
    Some(it.correct(
        format!("Use {}", small_name(&it.words[0], &old)),
        right,
        Kind::Fact,
        0.85,
        None,
    ))
}

/// "We no longer use Redis", "we don't use Redis anymore".
fn no_longer(it: &Statement<'_>) -> Option<Operation> {
    let words = &it.words;
    let (verb, end) =
        if let Some(end) = starts(words, cues!("we|i (dont|do) no longer, we|i are no longer")) {
            (end, words.len())
        } else {
            let end = starts(words, cues!("we|i dont, we|i do not, we stopped, weve stopped"))?;
            let stopped = words[end - 1].is("stopped");
            let more = find_any(words, cues!("anymore, any more, any longer"));
            (end, more.map(|place| place.start).or(stopped.then_some(words.len()))?)
        };
    let clause = (verb..end).find(|at| words[*at].pauses()).map_or(end, |at| at + 1);
    let said = words.get(verb..clause).filter(|said| said.len() >= 2 && !content::dangles(said))?;
    let action = said[0].lower.as_str();
    let known = matches!(
        action,
        "use"
            | "using"
            | "support"
            | "supporting"
            | "need"
            | "maintain"
            | "deploy"
            | "run"
            | "running"
            | "host"
            | "ship"
            | "shipping"
            | "have"
            | "want"
            | "do"
            | "doing"
            | "publish"
    );
    if !known || is_one_off(words) {
        return None;
    }
    let what = content::render(it.text, said)?;
    let who = if words[0].is("i") { "The user" } else { "We" };
    Some(it.retract(format!("{who} {}", small(&what)), 0.85))
}

/// "Forget what I said about tabs".
fn forgotten(it: &Statement<'_>) -> Option<Operation> {
    let end = starts(
        &it.words,
        cues!(
            "forget|ignore|disregard|drop (the|my|our|that) rule|preference|decision|convention|memory (about|to|that|of), \
        forget|ignore|disregard what i|we said about, forget that we|i"
        ),
    )?;
    let what = it.words.get(end..).filter(|what| !what.is_empty() && !content::dangles(what))?;
    Some(it.retract(content::render(it.text, what)?, 0.85))
}

/// "Forget that Bob is on vacation": where a memory says exactly that, it is meant.
pub(super) fn forget_exactly(it: &Statement<'_>) -> Option<Operation> {
    let taken_back = matches!(it.guard, None | Some(Guard::SelfResolving));
    if !taken_back || !it.guarded() && forgotten(it).is_some() {
        return None;
    }
    let what = it.text[forgets(it.text)?..].trim_end_matches(['.', '!', ' ']).to_owned();
    let quote = Some(it.text.to_owned());
    let turn = Some(it.turn);
    Some(Operation::Retract(Retract { what, confidence: 0.9, quote, turn, exact: true }))
}

/// Where a sentence says what is to be forgotten, if it asks for that.
pub(crate) fn forgets(sentence: &str) -> Option<usize> {
    const WORDS_MIN: usize = 2;
    let words = word::words(sentence);
    let end = starts(&words, cues!("(ok|okay|and|also|so) (please|pls) forget (that)"))?;
    let what = words.get(end..).filter(|what| what.len() >= WORDS_MIN)?;
    (!sentence.ends_with('?')).then(|| what[0].span.start)
}

/// "No, it's pnpm, not npm", "actually we use pnpm, not npm", "that's wrong: …".
fn not_that(it: &Statement<'_>, context: &[Said<'_>]) -> Option<Operation> {
    let words = &it.words;
    let opened = contradicts(it) || starts(words, &WRONG).is_some();
    let from = starts(words, &WRONG)
        .filter(|end| words.get(*end..).is_some_and(|rest| rest.len() >= 3))
        .unwrap_or(0);
    let meant = starts(&words[from..], cues!("i meant|said")).map_or(from, |end| from + end);
    let rest = &words[meant..];
    let pair = pair(rest)?;
    let states =
        find_any(rest, cues!("is|are|use|uses|runs|lives|its|were|has|at|on|to")).is_some();
    let strong = opened || meant > from;
    let passing = fact::is_passing(rest);
    if !(strong || states && says(rest, cues!("not")) && is_claim(rest)) || passing {
        return None;
    }
    let kind = rule::find_rule(rest).map_or(Kind::Fact, |(kind, _)| kind);
    let confidence = if strong { 0.9 } else { 0.6 };
    if let Some((wrong, right)) = expanded(it, rest, &pair) {
        let slot = fact::slot_of(&word::words(&right));
        return Some(it.correct(wrong, it.said()?, kind, confidence, slot));
    }
    if let Some((wrong, right)) = recalled(it, rest, &pair, context) {
        let slot = fact::slot_of(&word::words(&right));
        return Some(it.correct(wrong, right, kind, confidence, slot));
    }
    let (wrong, right) = pair;
    let wrong_text = it.phrase(meant + wrong.start..meant + wrong.end)?;
    let right_words = &rest[right.clone()];
    let told = meant > from || name::any_named(right_words);
    let plain = told && !content::dangles(right_words) && right.len() <= 6;
    plain.then_some(())?;
    Some(it.correct(wrong_text, it.said()?, kind, confidence, None))
}

/// What was wrong and what is right, each as a statement of its own: the short value takes the place
/// of the other one.
fn expanded(
    it: &Statement<'_>,
    words: &[Word<'_>],
    (wrong, right): &(Range<usize>, Range<usize>),
) -> Option<(String, String)> {
    // "Not X but Y" stands the other way round.
    let (first, second) = if wrong.start < right.start { (wrong, right) } else { (right, wrong) };
    let lead = &words[..first.start];
    if lead.is_empty() || content::dangles(lead) || lead[0].is("not instead rather") {
        return None;
    }
    let lead = &lead[..lead.len() - usize::from(first == wrong)];
    let tail = words.get(second.end..).filter(|tail| {
        !tail.is_empty() && !tail[0].is("because since so as and but") && !content::dangles(tail)
    });
    let value = &words[right.clone()];
    let value = &value[..value.iter().rposition(|word| !word.is("now currently"))? + 1];
    let other = &words[wrong.clone()];
    let kept = parallel(value, other);
    let said = |words: &[Word<'_>]| content::render(it.text, words);
    let joined = |parts: &[&[Word<'_>]]| -> Option<String> {
        let mut text = String::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let said = said(part)?;
            text = if text.is_empty() {
                said
            } else {
                format!("{text} {}", small_name(&part[0], &said))
            };
        }
        Some(text)
    };
    let tail = tail.unwrap_or_default();
    // "The keychain, not `auth.json`": the article goes with its noun.
    let bare = usize::from(lead.last()?.is("the a an") && name::any_named(other));
    let old = &lead[..lead.len() - bare];
    Some((joined(&[old, &value[..kept], other, tail])?, joined(&[lead, value, tail])?))
}

/// How much of a value the other one leaves unsaid: "Postgres 16, not 14".
fn parallel(value: &[Word<'_>], other: &[Word<'_>]) -> usize {
    let number = |word: &Word<'_>| word.text.starts_with(|c: char| c.is_ascii_digit());
    let short = other.len() < value.len() && other.first().is_some_and(number);
    let last = value.len().saturating_sub(other.len());
    if short && value.get(last).is_some_and(number) { last } else { 0 }
}

/// "It's 8081, not 8080", where a sentence shortly before says what is 8080.
fn recalled(
    it: &Statement<'_>,
    words: &[Word<'_>],
    (wrong, right): &(Range<usize>, Range<usize>),
    context: &[Said<'_>],
) -> Option<(String, String)> {
    const TURNS: usize = 2;
    let value = |range: &Range<usize>| {
        let words = &words[range.clone()];
        let (first, last) = (words.first()?, words.last()?);
        Some(it.text[first.span.start..last.span.end].trim_matches('`'))
    };
    let (old, new) = (value(wrong)?, value(right)?);
    let mut found: Vec<(String, String)> = Vec::new();
    for said in context.iter().rev().take(TURNS) {
        for unit in speech::units(said.text).into_iter().filter(|unit| unit.guard.is_none()) {
            let sentence = &said.text[unit.span];
            let said_words = word::words(sentence);
            let fits = fact::slot_of(&said_words).is_some_and(|slot| slot.object == old)
                && sentence.matches(old).count() == 1
                && !content::dangles(&said_words);
            if let Some(wrong) = content::render(sentence, &said_words).filter(|_| fits) {
                let right = wrong.replacen(old, new, 1);
                found.push((wrong, right));
            }
        }
    }
    found.dedup();
    (found.len() == 1).then(|| found.pop()).flatten()
}

static WRONG: Cues = Cues::of(
    "thats|that (is) (simply|just|not) wrong|incorrect|true|right|correct, \
    thats not true|right|correct, this is wrong|incorrect, youre wrong, wrong, not true",
);

/// Whether a sentence without a contradicting opening claims how things are, and is no order.
fn is_claim(words: &[Word<'_>]) -> bool {
    starts(words, cues!("we use|run|deploy|host|store, the|our")).is_some()
        && find_any(
            words,
            cues!(
                "should, shouldnt, must, needs, wants, do, \
        not the|a|an|only|just|because|yet|sure|in|be|have|been"
            ),
        )
        .is_none()
        && words.len() <= 16
        // "Our vendor has it differently: …" says whose it is.
        && !words.iter().any(|word| word.mark == ':')
}

/// What is wrong and what is right: "X, not Y", "not X but Y", "Y instead of X".
fn pair(words: &[Word<'_>]) -> Option<(Range<usize>, Range<usize>)> {
    const STOPS: &str = "because since so as and but when if which for in on that";
    let end_of = |from: usize| {
        (from..words.len())
            .find(|at| words[*at].pauses() || words.get(at + 1).is_some_and(|next| next.is(STOPS)))
            .map_or(words.len(), |at| at + 1)
    };
    let start_of = |to: usize| {
        (0..to)
            .rev()
            .take_while(|at| !(words[*at].is(SUBJECTS) || words[*at].pauses() && at + 1 < to))
            .last()
            .unwrap_or(to)
    };
    const SUBJECTS: &str = "is are use uses its were on to in at runs meant said has a the with";
    // "not X but Y"
    if let Some(not) =
        find_any(words, cues!("not")).filter(|_| find_any(words, cues!("but")).is_some())
    {
        let but = find_any(words, cues!("but"))
            .filter(|but| but.start > not.end && but.start - not.end <= 6)?;
        let right = but.end..end_of(but.end);
        let wrong = not.end..but.start;
        return (!wrong.is_empty() && !right.is_empty() && right.len() <= 8)
            .then_some((wrong, right));
    }
    let not = find_any(words, cues!("not, instead of, rather than"))?;
    let set_off = words[..not.start].last().is_some_and(|word| word.pauses())
        || words[not.start].is("instead rather")
        || not.start > 1
            && words[not.start - 1].is_said()
            && !words[not.start - 1].is("is are do does did was were should must can will has have would could its thats im \
        or if and why may might please to am be clearly really better just still we you i \
        its");
    // "In the keychain, not in `auth.json`".
    let again = words.get(not.end).is_some_and(|word| {
        word.is("in on at with to by from under")
            && words[..not.start].iter().any(|one| one.lower == word.lower)
    });
    let from = not.end + usize::from(again);
    let wrong = from..end_of(from);
    let right = start_of(not.start)..not.start;
    let clean = at_any(
        words,
        from,
        cues!(
            "the|a|an|only|just|because|yet|sure|in|be|have|been|to|that|this|it|so|very|too|even|\
            necessarily|all|every|any|really|if|for|at|on|with|by|me|us|you|i|we"
        ),
    )
    .is_none();
    (set_off
        && clean
        && !wrong.is_empty()
        && wrong.len() <= 5
        && !right.is_empty()
        && right.len() <= 6)
        .then_some((wrong, right))
}

/// A phrase as it stands inside a sentence.
fn small(phrase: &str) -> String {
    let first = phrase.split_whitespace().next().unwrap_or_default();
    let plain = first.chars().skip(1).all(|c| c.is_lowercase()) && first.len() > 1;
    let mut chars = phrase.chars();
    match chars.next() {
        Some(c) if plain => c.to_lowercase().chain(chars).collect(),
        _ => phrase.to_owned(),
    }
}

/// The same, where the first word may be a name.
fn small_name(first: &Word<'_>, phrase: &str) -> String {
    if first.text.starts_with(char::is_lowercase) { small(phrase) } else { phrase.to_owned() }
}
