//! Reading an answer: every operation by itself, against what the model was shown.

use std::collections::BTreeSet;

use serde_json::Value;

use super::schema::{OPS, kinds};
use super::{ModelProposal, Sound, Window, WindowTurn, member, prompt};
use crate::speech;
use throughline_core::Speaker;
use throughline_core::patch::{Correct, Operation, Refused, Remember, Retract};
use throughline_core::{Cardinality, Kind, Slot, text, words};

/// Operations of one answer that are looked at.
const OPERATIONS_MAX: usize = 32;
/// Bytes of one that is refused.
const REFUSED_BYTES_MAX: usize = 4_000;
/// Words of a quote that say anything.
const QUOTE_WORDS_MIN: usize = 3;
/// The share of a claim's words that must have been said by whoever is to have said it.
const SAID_SHARE: f64 = 0.6;

const FIELDS: [&str; 13] = [
    "op",
    "turn",
    "quote",
    "kind",
    "content",
    "target",
    "subject",
    "predicate",
    "object",
    "cardinality",
    "because",
    "triggers",
    "confidence",
];

/// Reads a model's answer to [`super::reading_prompt`].
pub fn read(answer: &Value, window: &Window) -> ModelProposal {
    let mut proposal = ModelProposal::default();
    let Some(operations) = answer.get("operations").and_then(Value::as_array) else {
        proposal.refuse(answer, "it has no list of operations");
        return proposal;
    };
    for (at, raw) in operations.iter().enumerate() {
        if at >= OPERATIONS_MAX {
            let more = operations.len() - OPERATIONS_MAX;
            proposal.refuse(
                raw,
                &format!("more than {OPERATIONS_MAX} operations; {more} are left out"),
            );
            break;
        }
        match sound(raw, window) {
            Ok(sound) => proposal.sound.push(sound),
            Err(why) => proposal.put_off(raw, &why, window),
        }
    }
    proposal
}

/// The operation in a form that a person can still let through, where there is one.
fn acceptable(raw: &Value, window: &Window) -> Option<Operation> {
    let operation = operation(raw, None, None, window).ok()?;
    operation.check().is_ok().then_some(operation)
}

impl ModelProposal {
    fn put_off(&mut self, raw: &Value, why: &str, window: &Window) {
        match acceptable(raw, window).and_then(|one| serde_json::to_value(one).ok()) {
            Some(operation) => self.refuse(&operation, why),
            None => self.refuse(raw, why),
        }
    }

    fn refuse(&mut self, raw: &Value, why: &str) {
        let written = raw.to_string();
        let operation = text::cut(&written, REFUSED_BYTES_MAX).to_owned();
        self.refused.push(Refused { operation, why: format!("a model proposed it: {why}") });
    }
}

fn sound(raw: &Value, window: &Window) -> Result<Sound, String> {
    let fields = raw.as_object().ok_or("it is not an operation")?;
    if let Some(unknown) = fields.keys().find(|name| !FIELDS.contains(&name.as_str())) {
        return Err(format!("unknown field {unknown}"));
    }
    let turn = raw.get("turn").and_then(Value::as_u64).and_then(|turn| usize::try_from(turn).ok());
    let turn = turn.filter(|turn| window.turns.get(*turn).is_some_and(|one| one.is_new));
    let turn = turn.ok_or("it does not name a turn that was to be read")?;
    let quote = plain(raw, "quote")?;
    let telling = text::normalise(&quote).split_whitespace().count() >= QUOTE_WORDS_MIN;
    // What is kept is what stands there, not how the model writes it.
    let quote = text::passage(&window.turns[turn].text, &quote).filter(|_| telling);
    let quote = quote.ok_or("its quote is not in that turn")?.to_owned();
    let operation = operation(raw, Some(turn), Some(quote), window)?;
    operation.check()?;
    let speaker = said_by(&operation, turn, window)?;
    Ok(Sound { operation, speaker })
}

fn operation(
    raw: &Value,
    turn: Option<usize>,
    quote: Option<String>,
    window: &Window,
) -> Result<Operation, String> {
    let op = member(raw, "op").filter(|op| OPS.contains(&op.as_str()));
    let op = op.ok_or("it is not remember, correct or retract")?;
    let confidence =
        raw.get("confidence").and_then(Value::as_f64).ok_or("confidence is not a number")?;
    if op == "retract" {
        let what = target(raw, window)?;
        return Ok(Operation::Retract(Retract { what, confidence, quote, turn, exact: false }));
    }
    let named = member(raw, "kind").ok_or("it has no kind")?;
    let kind = kinds().into_iter().find(|kind| kind.as_str() == named);
    let kind = kind.ok_or_else(|| format!("a model may not propose the kind {named:?}"))?;
    let (content, slot) = (plain(raw, "content")?, slot(raw)?);
    let (because, triggers) = (list(raw, "because")?, list(raw, "triggers")?);
    Ok(if op == "correct" {
        let wrong = target(raw, window)?;
        Operation::Correct(Correct {
            wrong,
            right: content,
            kind,
            slot,
            because,
            confidence,
            quote,
            turn,
        })
    } else {
        Operation::Remember(Remember {
            kind,
            content,
            label: None,
            domain: None,
            slot,
            because,
            triggers,
            entities: Vec::new(),
            confidence,
            quote,
            turn,
        })
    })
}

/// What is wrong: the id of a memory that was shown, or words. An id that was not shown is none.
fn target(raw: &Value, window: &Window) -> Result<String, String> {
    let named = plain(raw, "target")?;
    let place =
        (0..window.known.len()).find(|at| prompt::name_of(*at).eq_ignore_ascii_case(named.trim()));
    if let Some(place) = place {
        return Ok(window.known[place].0.clone());
    }
    let id_like = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | '#' | 'M' | 'm');
    if named.chars().all(id_like) {
        return Err("it names a memory that was not shown".to_owned());
    }
    Ok(named)
}

fn slot(raw: &Value) -> Result<Option<Slot>, String> {
    let part = |name: &str| {
        let said =
            raw.get(name).and_then(Value::as_str).ok_or_else(|| format!("{name} is not a text"))?;
        Ok::<_, String>(said.trim().to_owned())
    };
    let (subject, predicate, object) = (part("subject")?, part("predicate")?, part("object")?);
    let cardinality = member(raw, "cardinality").ok_or("it has no cardinality")?;
    let known = Cardinality::ALL.iter().find(|one| one.as_str() == cardinality);
    match known {
        Some(cardinality)
            if ![&subject, &predicate, &object].iter().any(|part| part.is_empty()) =>
        {
            Ok(Some(Slot { subject, predicate, object, cardinality: *cardinality }))
        }
        Some(_) => Ok(None),
        None if cardinality == "none" => Ok(None),
        None => Err(format!("unknown cardinality {cardinality:?}")),
    }
}

fn plain(raw: &Value, field: &str) -> Result<String, String> {
    let said = raw.get(field).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    if said.is_empty() { Err(format!("{field} is empty")) } else { Ok(said.to_owned()) }
}

fn list(raw: &Value, field: &str) -> Result<Vec<String>, String> {
    let listed =
        raw.get(field).and_then(Value::as_array).ok_or_else(|| format!("{field} is not a list"))?;
    let said = |one: &Value| one.as_str().map(|one| one.trim().to_owned());
    let listed: Option<Vec<String>> = listed.iter().map(said).collect();
    let mut listed =
        listed.ok_or_else(|| format!("{field} contains something that is not a text"))?;
    listed.retain(|one| !one.is_empty());
    Ok(listed)
}

/// The weakest speaker that it takes to say what an operation says: the quoted one if its words are
/// there, else whoever must be heard as well. So that what a tool printed cannot become the user's
/// word by quoting the user for something else.
fn said_by(operation: &Operation, turn: usize, window: &Window) -> Result<Speaker, String> {
    let WindowTurn { speaker, text, .. } = &window.turns[turn];
    // What a person pasted is somebody else's.
    let pasted = *speaker == Speaker::User && !is_own(operation, text);
    let quoted = if pasted { Speaker::Tool } else { *speaker };
    let (claim, kind, wrong) = match operation {
        Operation::Remember(new) => {
            (full(&new.content, new.slot.as_ref(), &new.because), Some(new.kind), None)
        }
        Operation::Correct(put_right) => (
            full(&put_right.right, put_right.slot.as_ref(), &put_right.because),
            Some(put_right.kind),
            Some(&put_right.wrong),
        ),
        Operation::Retract(back) => (String::new(), None, Some(&back.what)),
        Operation::Archive(_)
        | Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => {
            return Err("not for a model".to_owned());
        }
    };
    let claimed: BTreeSet<String> = words::query_terms(&claim).into_iter().collect();
    let wrong = wrong.map(|wrong| {
        let shown = window.known.iter().find(|(id, _)| id == wrong);
        words::query_terms(shown.map_or(wrong, |(_, words)| words))
    });
    let voices = [Speaker::User, Speaker::Assistant, Speaker::Tool];
    let from = voices.iter().position(|speaker| *speaker == quoted).unwrap_or(0);
    let needed = voices[from..].iter().enumerate().find(|(at, _)| {
        let heard = &voices[..=from + at];
        let turns = window.turns.iter().filter(|one| heard.contains(&one.speaker));
        let said: BTreeSet<String> = turns.flat_map(|one| words::terms(&one.text)).collect();
        // Whoever takes something back speaks of it.
        covers(&claimed, &said)
            && wrong.as_ref().is_none_or(|wrong| wrong.iter().any(|term| said.contains(term)))
    });
    let (_, speaker) = needed.ok_or("what it says was not said")?;
    let whose = match (speaker, kind) {
        (Speaker::Assistant, Some(Kind::Preference | Kind::Principle | Kind::Commitment)) => {
            "the agent"
        }
        (Speaker::Tool, Some(kind))
            if ![Kind::Fact, Kind::Event, Kind::Negative].contains(&kind) =>
        {
            "a tool's output"
        }
        (Speaker::Tool, None) => "a tool's output",
        (Speaker::User | Speaker::Assistant | Speaker::Tool, _) => return Ok(*speaker),
    };
    Err(format!("{whose} says so, and that is not for it to say"))
}

/// Whether what an operation quotes is in the person's own words.
fn is_own(operation: &Operation, turn: &str) -> bool {
    let quote = match operation {
        Operation::Remember(new) => &new.quote,
        Operation::Correct(put_right) => &put_right.quote,
        Operation::Retract(back) | Operation::Archive(back) => &back.quote,
        Operation::Know { .. }
        | Operation::Relate(_)
        | Operation::Settle(_)
        | Operation::Summarize(_)
        | Operation::Artifact(_) => return true,
    };
    quote.as_ref().is_none_or(|quote| speech::is_own_words(turn, quote))
}

fn full(content: &str, slot: Option<&Slot>, because: &[String]) -> String {
    let parts = slot.map(|slot| format!("{} {} {}", slot.subject, slot.predicate, slot.object));
    format!("{content} {} {}", parts.unwrap_or_default(), because.join(" "))
}

/// Whether enough of the words were said, and everything with a digit in it.
#[expect(clippy::cast_precision_loss, reason = "a handful of words")]
fn covers(claimed: &BTreeSet<String>, said: &BTreeSet<String>) -> bool {
    let exact = |term: &&String| term.chars().any(|c| c.is_ascii_digit());
    let found = claimed.iter().filter(|term| said.contains(*term)).count();
    claimed.iter().filter(exact).all(|term| said.contains(term))
        && found as f64 >= claimed.len() as f64 * SAID_SHARE
}
