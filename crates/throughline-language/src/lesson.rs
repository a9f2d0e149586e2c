//! Lessons: what is learnt from a claim that turned out wrong.
//!
//! A lesson counts only if it names something and says what to do. One that does neither reads well
//! and changes nothing, so it is refused.

use crate::probe::name::{is_named, is_named_inside};
use crate::referent::{self, NamedPlace};
use crate::speech::cue::{cues, find_any};
use crate::speech::word::{Word, words};
use throughline_core::{text, words as terms};

/// What a lesson lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Vague {
    /// Too few words to say anything.
    #[error("too short: say what went wrong and what to do about it")]
    TooShort,
    /// It could be said of anything.
    #[error("nothing specific: name the file, command, number or words it is about")]
    NothingSpecific,
    /// It tells how to be, or what is so, but not what to do.
    #[error("nothing to do: say what to read, run, ask or use, and when")]
    NothingToDo,
}

/// How a claim turned out wrong. Always by something outside: nobody finds an error by looking
/// inward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MistakeCause {
    /// The user said so.
    UserCorrected,
    /// A file, a test, a build or a measurement said so.
    GroundTruth,
    /// It had only been inferred, and was replaced.
    OwnInference,
}

/// A claim that met what is so.
#[derive(Debug, Clone, Copy)]
pub struct Collision<'a> {
    /// The claim.
    pub wrong: &'a str,
    /// What is right, where that is known.
    pub right: Option<&'a str>,
    /// How it came out.
    pub cause: MistakeCause,
    /// The file or flag that the claim was tied to.
    pub place: Option<&'a str>,
}

/// More of a lesson is not looked at.
const LESSON_BYTES_MAX: usize = 4 * 1024;

const WORDS_MIN: usize = 4;

/// Whether a lesson names something and says what to do about it.
pub fn check(lesson: &str) -> Result<(), Vague> {
    let lesson = text::cut(lesson, LESSON_BYTES_MAX);
    // Large letters name nothing where all are large.
    let quiet;
    let lesson = if lesson.contains(char::is_lowercase) {
        lesson
    } else {
        quiet = lesson.to_lowercase();
        &quiet
    };
    let said = words(lesson);
    if said.iter().map(|word| word.text.split_whitespace().count()).sum::<usize>() < WORDS_MIN {
        Err(Vague::TooShort)
    } else if !(0..said.len()).any(|at| is_specific(&said, at)) {
        Err(Vague::NothingSpecific)
    } else if !(0..said.len()).any(|at| is_action(&said, at)) {
        Err(Vague::NothingToDo)
    } else {
        Ok(())
    }
}

/// Whether a word names something: a name, a number, an identifier, a path, quoted words, or one of
/// two things that are told apart ("pnpm instead of npm").
fn is_specific(said: &[Word<'_>], at: usize) -> bool {
    let word = &said[at];
    let opens = at == 0 || matches!(said[at - 1].mark, '.' | '!' | '?' | ':' | '—' | ';');
    if word.text.bytes().any(|b| b.is_ascii_digit()) {
        return is_telling_number(said, at);
    }
    let named = if opens { is_named(word) } else { is_named_inside(word) };
    if word.quoted {
        return !is_empty(word);
    }
    let option = word.text.starts_with("--") && word.text.len() > 3;
    (named || option) && !is_empty(word) || is_told_apart(said, at)
}

/// "100 %" and "3 times" only stress something.
fn is_telling_number(said: &[Word<'_>], at: usize) -> bool {
    let stressed =
        said.get(at + 1).is_some_and(|next| next.is("times time things mistakes errors"));
    let whole = matches!(said[at].text, "100" | "110" | "100%" | "110%" | "1000%" | "200%");
    !stressed && !whole
}

/// The first word of "pnpm instead of npm", "tabs, not spaces" after a verb: both must say something.
fn is_told_apart(said: &[Word<'_>], at: usize) -> bool {
    let rest = &said[at + 1..said.len().min(at + 4)];
    let Some(place) = find_any(rest, cues!("instead of, rather than, not, over")) else {
        return false;
    };
    let other = said.get(at + 1 + place.end);
    let verb =
        at > 0 && said[at - 1].is("use prefer run call pass set write pick choose import take");
    verb && place.start == 0 && !is_empty(&said[at]) && other.is_some_and(|other| !is_empty(other))
}

/// Whether an order to oneself stands here, with something to do it to.
fn is_action(said: &[Word<'_>], at: usize) -> bool {
    const OPENERS: &str = "to should must always never not dont please then and or first instead just only also \
        need do lets will i we";
    const REACH_WORDS: usize = 8;
    if !said[at].is(ACTIONS) || !(at == 0 || said[at - 1].pauses() || said[at - 1].is(OPENERS)) {
        return false;
    }
    let rest = &said[at + 1..said.len().min(at + 1 + REACH_WORDS)];
    let stop = rest.iter().position(|word| matches!(word.mark, '.' | '!' | '?' | ';'));
    let object = &rest[..stop.map_or(rest.len(), |stop| stop + 1)];
    !matches!(said[at].mark, '.' | '!' | '?' | ';') && object.iter().any(|word| !is_empty(word))
}

/// Whether a word says nothing by itself: a common word, or one that fits every lesson.
fn is_empty(word: &Word<'_>) -> bool {
    const EMPTY: &str = "thing things everything something anything nothing stuff fact facts detail details work \
        task tasks job answer answers answering question questions output information result results source sources \
        context code test tests user users somebody everyone mistake mistakes error errors truth conclusion \
        assumption assumptions assume assuming guess guessing guesses claim claims claiming statement statements \
        say saying said speak speaking reply replying respond responding act acting doing proceed proceeding \
        think thinking thought remember memory verify verifying check checking double-check double-checking confirm \
        confirming read reading look looking learn try avoid use using make take keep need get give go \
        wrong right correct correctly accurate accurately accuracy careful carefully care precise precisely thorough \
        thoroughly attention effort quality true honest honestly reliable sure certain important possible good bad \
        better best more less hard harder properly well really very close closely slow slowly rush rushing full \
        fully whole twice again time times next future always never first before instead way ways please";
    let lower = word.lower.as_str();
    !word.text.contains(char::is_alphanumeric)
        || terms::is_common(lower)
        || word.is("the a an it its this that these those them all any every each")
        || EMPTY.split_whitespace().any(|empty| empty == lower) && !word.code
}

/// Verbs that say what to do, rather than how to be.
const ACTIONS: &str = "read run use ask check open look search grep query call compare measure test build compile \
    write pass set keep put add quote cite confirm verify double-check reproduce print inspect list consult prefer \
    avoid stop treat wait start take count rerun re-run restart rebuild reload fetch pull update pin import wrap \
    escape convert parse format log handle return commit rebase push merge install expect assume guess trust rely \
    believe claim say state tell cast clear close create delete remove rename replace edit change move copy drop \
    mock seed skip enable disable lock await flush round trim quit load save send show split join sort filter \
    store track undo revert review scan see name mark label include exclude require reject accept diff bisect \
    profile benchmark time trace dump export generate regenerate apply follow give make derive compute recompute \
    look-up consider switch go restore pick choose report mention";

/// One or two sentences that name what was wrong and say what to do next time, or `None` where
/// nothing of use can be said.
pub fn draft(collision: &Collision<'_>) -> Option<String> {
    let wrong = shortened(collision.wrong);
    let right = collision.right.map(shortened).filter(|right| !right.is_empty());
    let place = collision.place.map(str::trim).filter(|place| is_place(place));
    let same =
        right.as_ref().is_some_and(|right| text::normalise(right) == text::normalise(&wrong));
    if same || !says_something(&wrong) && place.is_none() {
        return None;
    }
    let topic = topic(collision.wrong);
    // Without what is right, where to look and what about, only regret is left.
    if wrong.is_empty() || right.is_none() && place.is_none() && topic.is_none() {
        return None;
    }
    let lesson = format!(
        "{}. {}.",
        what_happened(collision.cause, &wrong, right.as_deref()),
        what_to_do(collision.cause, place, topic.as_deref())
    );
    check(&lesson).is_ok().then_some(lesson)
}

fn what_happened(cause: MistakeCause, wrong: &str, right: Option<&str>) -> String {
    match (cause, right) {
        (MistakeCause::UserCorrected, Some(right)) => {
            format!("Said \"{wrong}\"; the user corrected it: \"{right}\"")
        }
        (MistakeCause::UserCorrected, None) => {
            format!("Said \"{wrong}\"; the user said that it is wrong")
        }
        (MistakeCause::GroundTruth, Some(right)) => {
            format!("Said \"{wrong}\"; what was found: \"{right}\"")
        }
        (MistakeCause::GroundTruth, None) => {
            format!("Said \"{wrong}\"; what was found is something else")
        }
        (MistakeCause::OwnInference, Some(right)) => {
            format!("Inferred \"{wrong}\" without a source; it is \"{right}\"")
        }
        (MistakeCause::OwnInference, None) => {
            format!("Inferred \"{wrong}\" without a source; it does not hold")
        }
    }
}

fn what_to_do(cause: MistakeCause, place: Option<&str>, topic: Option<&str>) -> String {
    let about =
        topic.map_or_else(|| "repeating it".to_owned(), |topic| format!("speaking of {topic}"));
    match (place, cause) {
        (Some(place), _) if is_flag(place) => format!("Look {place} up before {about}"),
        (Some(place), _) => format!("Read {place} before {about}"),
        (None, MistakeCause::UserCorrected) => {
            let topic = topic.map_or_else(|| "such a thing".to_owned(), ToOwned::to_owned);
            format!("Ask the user before assuming {topic}")
        }
        (None, MistakeCause::GroundTruth) => {
            format!("Run or measure the real thing before {about}")
        }
        (None, MistakeCause::OwnInference) => {
            format!("Look for a file or ask the user before {about}")
        }
    }
}

const QUOTE_CHARS_MAX: usize = 100;

/// A claim as it is quoted: one line, short, without quotation marks and a stop at the end.
fn shortened(claim: &str) -> String {
    let claim = text::cut(claim, LESSON_BYTES_MAX);
    let plain: String = claim
        .chars()
        .filter(|c| !text::is_invisible(*c))
        .map(|c| if matches!(c, '"' | '“' | '”' | '«' | '»') { '\'' } else { c })
        .collect();
    let line = text::headline(&plain, QUOTE_CHARS_MAX);
    line.trim_end_matches(['.', '!', '?', ' ']).to_owned()
}

/// Whether a claim has two words that are not in every claim, or a name.
fn says_something(claim: &str) -> bool {
    let said = words(claim);
    said.iter().filter(|word| !is_empty(word)).count() >= 2
        || (0..said.len()).any(|at| is_specific(&said, at))
}

/// What a claim is about: what stands before its verb.
fn topic(claim: &str) -> Option<String> {
    const TOPIC_WORDS_MAX: usize = 6;
    let claim = text::cut(claim, LESSON_BYTES_MAX);
    let said = words(claim);
    let verb = said.iter().take(TOPIC_WORDS_MAX + 2).position(|word| {
        word.is("is are was were has have had uses use runs run takes take needs need does do lives live comes come \
            returns return must should can cannot will supports support depends reads read writes write stores store \
            contains holds hold works work passes pass fails fail isnt arent doesnt dont hasnt goes equals means")
    })?;
    let start = said[..verb]
        .iter()
        .take_while(|word| word.is("the a an our this that all my your"))
        .count();
    let topic = &said[start..verb];
    let clear = (1..=TOPIC_WORDS_MAX).contains(&topic.len())
        && topic.iter().any(|word| !is_empty(word))
        && topic[..topic.len() - 1].iter().all(|word| !word.pauses());
    if !clear {
        return None;
    }
    let span = topic[0].span.start..topic[topic.len() - 1].span.end;
    let article = start > 0 && said[start - 1].is("the");
    let named = format!("{}{}", if article { "the " } else { "" }, shortened(&claim[span]));
    (!named.contains('\'') && !named.contains('\n')).then_some(named)
}

/// Whether a place reads as one: a path, a flag, a key.
fn is_place(place: &str) -> bool {
    const PLACE_BYTES_MAX: usize = 200;
    (2..=PLACE_BYTES_MAX).contains(&place.len())
        && !place.contains(|c: char| c.is_whitespace() || c.is_control() || text::is_invisible(c))
}

/// Whether a place is a named value and no file.
fn is_flag(place: &str) -> bool {
    let path = place.contains(['/', '.']);
    let named = referent::mentions(place);
    !path || matches!(named.first().map(|mention| &mention.place), Some(NamedPlace::Flag { .. }))
}
