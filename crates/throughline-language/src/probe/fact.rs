//! Facts with a subject, a property and a value: what somebody asks to remember is kept in this form
//! as well, and a statement that has it tells how things are.

mod table;

use super::content::{dangles, is_one_off};
use super::name;
use crate::speech::cue::{Cues, at_any, cues, find_any, says, starts};
use crate::speech::word::Word;
use throughline_core::{Cardinality, Slot};

use table::{STATED, Value};

/// Words that make a statement less than one.
static UNSURE: Cues = Cues::of(
    "isnt, arent, doesnt, should, shouldnt, not, wasnt, used to, \
    was|were supposed|meant, todo, why, would, you, youll",
);

fn slot(subject: String, predicate: &str, object: String, cardinality: Cardinality) -> Slot {
    Slot { subject, predicate: predicate.to_owned(), object, cardinality }
}

/// Words that say that it was not always so.
const LATELY: &str = "now currently nowadays";

/// Whether it speaks of the task at hand; that something is so "now" does not make it that.
fn is_passing(words: &[Word<'_>]) -> bool {
    let words: Vec<Word<'_>> = words.iter().filter(|word| !word.is(LATELY)).cloned().collect();
    is_one_off(&words)
}

/// A value without the "now" behind it.
fn lasting<'a, 'b>(words: &'a [Word<'b>]) -> &'a [Word<'b>] {
    let end = words.iter().rposition(|word| !word.is(LATELY)).map_or(0, |at| at + 1);
    &words[..end]
}

/// The structured form of what these words state.
pub(super) fn slot_of(words: &[Word<'_>]) -> Option<Slot> {
    if words.len() < 3 || says(words, &UNSURE) {
        return None;
    }
    we_use(words).or_else(|| we_are_on(words)).or_else(|| property(words)).or_else(|| stated(words))
}

fn joined(words: &[Word<'_>]) -> String {
    let skip = words.iter().take_while(|word| word.is("the our a an my now")).count();
    let words = lasting(words);
    let skip = skip.min(words.len());
    words[skip..]
        .iter()
        .map(|word| word.text.trim_end_matches("'s").trim_end_matches("’s"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// The words of a value: up to the next clause.
fn clause<'a, 'b>(words: &'a [Word<'b>]) -> &'a [Word<'b>] {
    const ENDS: &str = "because since so and but which when while where who due as if until for via instead \
    by with using from rather to should you we last yesterday this";
    let end = (0..words.len()).find(|at| {
        matches!(words[*at].mark, ',' | ';' | '—' | '.' | ':' | '!') && words.get(at + 1).is_some()
            || words.get(at + 1).is_some_and(|next| next.is(ENDS) || next.bracketed)
    });
    lasting(&words[..end.map_or(words.len(), |at| at + 1)])
}

/// "We use Postgres for billing".
fn we_use(words: &[Word<'_>]) -> Option<Slot> {
    let end = starts(
        words,
        cues!(
            "(in|at|on) (this|the) (project|repo|work) we|i|were (now|currently|always|mostly|also|only|all|still) use|using"
        ),
    )?;
    let user = words[..end].iter().any(|word| word.is("i"));
    let object = clause(words.get(end..)?);
    let pointed = object.first()?.is("this that these those it them the a an our to their")
        && !name::any_named(object);
    let plain = object.len() <= 4 && (name::any_named(object) || object.len() <= 2);
    if pointed || !plain || is_passing(words) {
        return None;
    }
    let purpose = at_any(words, end + object.len(), cues!("for|as"))
        .and_then(|from| words.get(from..))
        .map(clause)
        .filter(|purpose| (1..=5).contains(&purpose.len()) && !dangles(purpose));
    let subject = match purpose {
        Some(purpose) => joined(purpose),
        None if user => "user".to_owned(),
        None => "project".to_owned(),
    };
    Some(slot(subject, "uses", joined(object), Cardinality::Many))
}

/// "We're on Node 20".
fn we_are_on(words: &[Word<'_>]) -> Option<Slot> {
    let end = starts(
        words,
        cues!("were|we (are) (still|now|currently) on, i (am) on, im (still|now) on"),
    )?;
    let object = clause(words.get(end..)?);
    let [what @ .., version] = object else {
        return None;
    };
    let numbered = version.text.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let named = (1..=3).contains(&what.len())
        && what[0].text.starts_with(|c: char| c.is_uppercase())
        && !what[0].is("phase step line issue page pr");
    (numbered && named)
        .then(|| slot(joined(what), "version", version.text.to_owned(), Cardinality::One))
}

/// Nouns that are properties of a project, and have one value at a time.
const PROPERTIES: &str = "branch port version url database db host hostname region timezone \
        deadline repo repository registry manager language framework license \
        licence bucket cluster namespace domain owner username linter formatter \
        runner msrv endpoint server environment name api queue cache orm prefix \
        convention locale currency provider entrypoint point date maintainer lead \
        path directory folder flag limit timeout threshold ci stack priority precedence \
        contact person officer designer reviewer director engineer architect approver assignee \
        coach mentor sponsor supervisor accountant boss size length width height ttl lifetime \
        retention interval frequency duration schedule quota budget capacity count rate ratio \
        level mode format style strategy theme scheme encoding charset separator suffix extension \
        tool service store system backend broker engine library platform generator tracker bundler \
        builder image client driver location office address phone channel algorithm vendor";

/// "The default branch is develop", "staging's port is 8080", "the port of staging is 8080".
fn property(words: &[Word<'_>]) -> Option<Slot> {
    let is = find_any(words, cues!("is (now|always|currently|set) (to)"))
        .filter(|is| (1..=7).contains(&is.start))?;
    let subject = &words[..is.start];
    let object = clause(words.get(is.end..)?);
    let opened = subject[0].is("the our")
        || subject[0].text.ends_with("'s")
        || subject[0].text.ends_with("’s")
        || name::is_named(&subject[0]);
    if !opened
        || !subject_fits(subject)
        || !value_fits(object, Value::Short)
        || says(object, &VAGUE)
        || is_passing(words)
    {
        return None;
    }
    let one = |subject: &[Word<'_>], predicate: &str| {
        slot(joined(subject), predicate, joined(object), Cardinality::One)
    };
    if let Some(of) =
        find_any(subject, cues!("of|for|on")).filter(|of| of.start > 0 && of.end < subject.len())
    {
        let (what, whose) = (&subject[..of.start], &subject[of.end..]);
        return what.last()?.is(PROPERTIES).then(|| one(whose, &joined(what).to_lowercase()));
    }
    if let Some(owner) = subject
        .iter()
        .position(|word| word.text.ends_with("'s") || word.text.ends_with("’s"))
        .filter(|at| at + 1 < subject.len())
    {
        let (whose, what) = subject.split_at(owner + 1);
        return what.last()?.is(PROPERTIES).then(|| one(whose, &joined(what).to_lowercase()));
    }
    let numbered = object.iter().any(|word| word.text.starts_with(|c: char| c.is_ascii_digit()));
    let telling = subject.len() >= 3
        || subject.len() == 2 && (name::any_named(object) || numbered || subject[0].is("our"));
    // What has a name or a number for a value has that value, whatever it is called.
    let plain = subject[0].is("the our")
        && object.len() <= 4
        && (numbered && object.len() <= 4 || object.iter().all(name::is_named_inside));
    ((subject.last()?.is(PROPERTIES) || plain) && telling).then(|| one(subject, "is"))
}

/// Values that say nothing.
static VAGUE: Cues = Cues::of(
    "wrong, broken, fine, good, ok, okay, missing, empty, too, not, still, already, \
    correct, right, done, ready, up, down, red, green, used, set, just, in, on, at, \
    being, failing, different, the same, same, what, how, that, where, why, a, an, \
    supposed, going, to be, very, so, bad, great, slow, fast, old, clear, unclear, \
    only, also, about, really, kind, like, needed, required, unused, deprecated, here, \
    there, below, above, important, trivial, huge, large, small, bit, all, no, good, \
    consistent, possible, intentional, true, false, available, stale, confusing, \
    misleading, correct, passing, safe",
);

/// "The staging database runs on Postgres 16".
fn stated(words: &[Word<'_>]) -> Option<Slot> {
    let (at, end, (_, predicate, cardinality, value)) = (1..words.len().min(8))
        .find_map(|at| STATED.iter().find_map(|one| Some((at, at_any(words, at, &one.0)?, one))))?;
    let subject = &words[..at];
    let object = clause(words.get(end..)?);
    let determined = subject[0].is("the our")
        || name::is_named(&subject[0])
        || at <= 3 && (!subject[0].is(COMMON) || subject[0].is("a an") && *value == Value::Amount);
    let telling = subject[0].text.contains('-') || subject.len() > 2
        && subject[subject.len() - 1].is("app tool program script")
        || subject.len() > 1
        && !subject[subject.len() - 1].is(
            "code thing function test line file command one user app program tool script output",
        )
        || name::any_named(subject)
        || subject.len() == 1 && is_thing(&subject[0]);
    if !determined
        || !telling
        || !subject_fits(subject)
        || !(value_fits(object, *value) || *value == Value::Named && small_name(words, object))
        || *predicate == "works on" && !is_work(object)
        || is_passing(words)
    {
        return None;
    }
    Some(slot(joined(subject), predicate, joined(object), *cardinality))
}

/// A word that can be the whole of what is spoken of: "production is hosted on OVH".
fn is_thing(word: &Word<'_>) -> bool {
    const NOTHING: &str = "code thing things function test tests line file files command commands one user users \
        app program tool script output stuff work none most many few others more people someone somebody \
        anyone nobody still mine yours theirs error errors bug bugs";
    word.is_said()
        && word.lower.len() > 1
        && word.text.chars().all(char::is_alphanumeric)
        && !word.lower.ends_with("ing")
        && !word.lower.ends_with("ly")
        && !word.is(COMMON)
        && !word.is(NOTHING)
}

/// Whether somebody can work on this; a program works on a machine.
fn is_work(object: &[Word<'_>]) -> bool {
    const MACHINES: &str = "server servers machine machines mobile desktop phone phones tablet device devices browser \
        browsers chrome firefox safari page screen branch build version environment staging production windows \
        linux mac macos android ios";
    let told = object.first().is_some_and(|word| word.is("the our")) || name::any_named(object);
    told && object.last().is_some_and(|word| !word.is(MACHINES))
}

/// A name in a sentence that is written without capital letters: "the frontend is built with vite".
fn small_name(words: &[Word<'_>], object: &[Word<'_>]) -> bool {
    let small = words.iter().all(|word| !word.text.contains(char::is_uppercase));
    let plain = object.iter().enumerate().all(|(at, word)| {
        word.is_said()
            && (word.lower.len() > 2 || at > 0)
            && !word.lower.ends_with("ing")
            && !word.lower.ends_with("ly")
            && !word.is(COMMON)
            && !word.is(
                "startup demand time purpose memory disk save load boot start end every own top",
            )
    });
    small && object.len() <= 2 && plain && value_fits(object, Value::Short)
}

const COMMON: &str = "a an it this that they he she you i we there what which who where when how one some \
    every each any all no make if see look take put run use have everything nothing \
    something these those now your also only let lets because since so and but or as in \
    on at for to from with not whatever whoever do does did ensure check verify find my \
    both here";

/// Whether these words can be what a fact is about.
fn subject_fits(words: &[Word<'_>]) -> bool {
    const NONE: &str = "it its this that they them he she you your i im we were there what which who where \
    when if how is are was has have be will can these those only problem issue question \
    thing idea point reason fix bug error answer not one because since to and but or so \
    then make sure like same above below first next test tests goal key user way code";
    let last = words.len().saturating_sub(1);
    (1..=7).contains(&words.len())
        && !words
            .iter()
            .enumerate()
            .any(|(at, word)| word.is(NONE) && !(word.is("user") && at < last))
        && words.iter().rev().skip(1).all(|word| !word.pauses())
        && !words[words.len() - 1].pauses()
}

fn value_fits(words: &[Word<'_>], value: Value) -> bool {
    let Some(first) = words.first() else {
        return false;
    };
    let number = words.iter().any(|word| word.text.bytes().any(|b| b.is_ascii_digit()));
    let fits = match value {
        Value::Short => words.len() <= 6 && starts(words, &VAGUE).is_none(),
        Value::Named => words.len() <= 8 && (name::any_named(words) || number),
        Value::Amount => {
            words.len() <= 5 && words[0].text.starts_with(|c: char| c.is_ascii_digit())
        }
        Value::Place => {
            words.len() <= 4
                && words.iter().any(|word| {
                    name::is_path(word.text)
                        || word.text.contains("://")
                        || word.text.contains(".com")
                        || word.text.contains("localhost")
                })
        }
    };
    fits && !dangles(words) && first.text.chars().any(char::is_alphanumeric)
}
