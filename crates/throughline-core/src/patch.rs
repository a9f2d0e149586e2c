//! A patch: what a probe found worth changing in memory, as data.
//!
//! One form for every probe: rules write it, and what a model writes becomes it (`throughline_language::proposal`).
//! It is read strictly. What does not fit is handed back whole, for a person to look at: never
//! dropped, never half applied.

mod decide;
mod eligible;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{EntityKind, Kind, Relation, Slot, text};

pub use decide::{Amendment, NOT_UNDERSTOOD, texts_of};
pub use eligible::{Grounds, fit_to_keep_whole, fit_to_sum_up};

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// Which version of the schema it follows.
    pub version: u32,
    /// What to do, in the order found.
    pub operations: Vec<Operation>,
}

impl Default for Patch {
    fn default() -> Self {
        Self { version: VERSION, operations: Vec::new() }
    }
}

/// One thing to do. It names what it speaks of in words: finding that is left to whoever applies it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Keep a claim.
    Remember(Remember),
    /// Put something right.
    Correct(Correct),
    /// Something no longer holds, and nothing takes its place.
    Retract(Retract),
    /// Something is no longer of use and is put away.
    Archive(Retract),
    /// A thing and the names it goes by.
    Know {
        /// The thing.
        entity: Named,
    },
    /// Two things hang together. Only where words say so.
    Relate(Relate),
    /// What failed works by now.
    Settle(Settle),
    /// Several memories come to one claim, which rests on them.
    Summarize(Summarize),
    /// A text is kept word for word.
    Artifact(Artifact),
}

/// A claim to keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remember {
    /// What sort of claim.
    pub kind: Kind,
    /// The claim, to be understood without the conversation.
    pub content: String,
    /// A short title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The area it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Its structured form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// The reasons given for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// Patterns that bring it up: commands, file names, calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<String>,
    /// The things it speaks of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<Named>,
    /// How sure the probe is, in 0..=1.
    #[serde(default = "unsaid")]
    pub confidence: f64,
    /// The words it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The turn they stand in: an index into the probed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

/// Something believed wrongly, and what is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Correct {
    /// What was believed, in words or as a handle.
    pub wrong: String,
    /// What is right, to be understood without the conversation.
    pub right: String,
    /// What sort of claim is right.
    pub kind: Kind,
    /// Its structured form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<Slot>,
    /// The reasons given for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// How sure the probe is, in 0..=1.
    #[serde(default = "unsaid")]
    pub confidence: f64,
    /// The words it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The turn they stand in: an index into the probed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

impl Correct {
    /// What is right, as a claim of its own.
    pub fn claim(&self) -> Remember {
        Remember {
            kind: self.kind,
            content: self.right.clone(),
            label: None,
            domain: None,
            slot: self.slot.clone(),
            because: self.because.clone(),
            triggers: Vec::new(),
            entities: Vec::new(),
            confidence: self.confidence,
            quote: self.quote.clone(),
            turn: self.turn,
        }
    }
}

/// Something that no longer holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retract {
    /// What was believed, in words or as a handle.
    pub what: String,
    /// How sure the probe is, in 0..=1.
    #[serde(default = "unsaid")]
    pub confidence: f64,
    /// The words it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The turn they stand in: an index into the probed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// It means the one memory that says exactly this, and nothing where there is none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

/// How two things hang together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relate {
    /// A handle, a name or a claim.
    pub from: String,
    /// What is said of the two.
    pub relation: Relation,
    /// A handle, a name or a claim.
    pub to: String,
    /// The words it rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
}

/// A failure that is over: the same command works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settle {
    /// The failure, in the words that it was kept in.
    pub failed: String,
    /// What takes its place, in its own words: the same failure with what helped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The turn in which it worked: an index into the probed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

/// What several memories come to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summarize {
    /// The memories, as handles or in their own words.
    pub of: Vec<String>,
    /// What they come to, to be understood without them.
    pub content: String,
    /// How sure the probe is, in 0..=1.
    #[serde(default = "unsaid")]
    pub confidence: f64,
    /// The turn in which it was said: an index into the probed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

/// A text that matters word for word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Artifact {
    /// What it is.
    pub label: String,
    /// The text.
    pub content: String,
    /// How sure the probe is that it matters so, in 0..=1.
    #[serde(default = "unsaid")]
    pub confidence: f64,
    /// The turn in which it stands: an index into the probed turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
}

/// A thing and the names it goes by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What sort of thing.
    pub kind: EntityKind,
    /// Other names for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// How sure a probe is that did not say.
fn unsaid() -> f64 {
    0.5
}

/// A patch as far as it could be read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PatchReading {
    /// What fits the schema.
    pub patch: Patch,
    /// What does not.
    pub refused: Vec<Refused>,
}

/// Something that does not fit the schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// As it was written: JSON, or whatever stood there; cut where it is very long.
    pub operation: String,
    /// What does not fit.
    pub why: String,
}

/// The longest text of an operation.
pub const TEXT_BYTES_MAX: usize = 4_000;
const LIST_MAX: usize = 32;
const OPERATIONS_MAX: usize = 256;
const REFUSED_BYTES_MAX: usize = 16_000;

/// Reads a patch. What fits comes back as operations, everything else as refused.
pub fn read(json: &str) -> PatchReading {
    let mut reading = PatchReading::default();
    match serde_json::from_str::<Value>(json) {
        Ok(Value::Object(document)) => reading.document(json, document),
        Ok(_) => reading.refuse(json, "a patch is an object with version and operations"),
        Err(error) => reading.refuse(json, &format!("not JSON: {error}")),
    }
    reading
}

/// Reads a single operation, or says what does not fit.
pub fn read_one(json: &str) -> Result<Operation, String> {
    operation(&serde_json::from_str(json).map_err(|error| format!("not JSON: {error}"))?)
}

impl PatchReading {
    fn document(&mut self, json: &str, mut document: Map<String, Value>) {
        let version = document.remove("version");
        if version.as_ref().and_then(Value::as_u64) != Some(u64::from(VERSION)) {
            return self.refuse(json, &format!("its version is not {VERSION}"));
        }
        let Some(Value::Array(operations)) = document.remove("operations") else {
            return self.refuse(json, "it has no list of operations");
        };
        for (field, value) in document {
            let why = format!("unknown field {field}");
            self.refuse(&Value::Object(Map::from_iter([(field, value)])).to_string(), &why);
        }
        for (at, raw) in operations.into_iter().enumerate() {
            let checked = if at < OPERATIONS_MAX {
                operation(&raw)
            } else {
                Err(format!("more than {OPERATIONS_MAX} operations"))
            };
            match checked {
                Ok(operation) => self.patch.operations.push(operation),
                Err(why) => self.refuse(&raw.to_string(), &why),
            }
        }
    }

    fn refuse(&mut self, written: &str, why: &str) {
        let cut = written.floor_char_boundary(REFUSED_BYTES_MAX);
        self.refused.push(Refused { operation: written[..cut].to_owned(), why: why.to_owned() });
    }
}

fn operation(raw: &Value) -> Result<Operation, String> {
    const SLOT_FIELDS: &[&str] = &["subject", "predicate", "object", "cardinality"];
    if let Some(Value::Object(slot)) = raw.get("slot")
        && let Some(field) = slot.keys().find(|field| !SLOT_FIELDS.contains(&field.as_str()))
    {
        return Err(format!("unknown field {field} in slot"));
    }
    let operation: Operation =
        serde_json::from_value(raw.clone()).map_err(|error| error.to_string())?;
    operation.check()?;
    Ok(operation)
}

impl Operation {
    /// Says what keeps it from being used: an empty or oversized text, a number out of range.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Remember(it) => {
                texts(&[("content", Some(&it.content)), ("quote", it.quote.as_ref())])?;
                texts(&[("label", it.label.as_ref()), ("domain", it.domain.as_ref())])?;
                lists(&[("because", &it.because), ("triggers", &it.triggers)])?;
                if it.entities.len() > LIST_MAX {
                    return Err(format!("more than {LIST_MAX} entities"));
                }
                it.entities.iter().try_for_each(named)?;
                it.slot.as_ref().map_or(Ok(()), slot)?;
                share(it.confidence)
            }
            Self::Correct(it) => {
                texts(&[("wrong", Some(&it.wrong)), ("right", Some(&it.right))])?;
                texts(&[("quote", it.quote.as_ref())])?;
                lists(&[("because", &it.because)])?;
                it.slot.as_ref().map_or(Ok(()), slot)?;
                share(it.confidence)
            }
            Self::Retract(it) | Self::Archive(it) => {
                texts(&[("what", Some(&it.what)), ("quote", it.quote.as_ref())])?;
                share(it.confidence)
            }
            Self::Know { entity } => named(entity),
            Self::Relate(it) => {
                texts(&[("from", Some(&it.from)), ("to", Some(&it.to))])?;
                texts(&[("quote", it.quote.as_ref())])
            }
            Self::Settle(it) => texts(&[("failed", Some(&it.failed)), ("by", it.by.as_ref())]),
            Self::Summarize(it) => {
                texts(&[("content", Some(&it.content))])?;
                lists(&[("of", &it.of)])?;
                if it.of.len() < 2 {
                    return Err("a summary is of two memories at least".to_owned());
                }
                share(it.confidence)
            }
            Self::Artifact(it) => {
                texts(&[("label", Some(&it.label)), ("content", Some(&it.content))])?;
                share(it.confidence)
            }
        }
    }
}

fn texts(fields: &[(&str, Option<&String>)]) -> Result<(), String> {
    for (field, said) in fields.iter().filter_map(|(field, said)| Some((field, (*said)?))) {
        if text::normalise(said).is_empty() {
            return Err(format!("{field} is empty"));
        }
        if said.len() > TEXT_BYTES_MAX {
            return Err(format!("{field} is longer than {TEXT_BYTES_MAX} bytes"));
        }
    }
    Ok(())
}

fn lists(fields: &[(&str, &Vec<String>)]) -> Result<(), String> {
    for (field, list) in fields {
        if list.len() > LIST_MAX {
            return Err(format!("{field} has more than {LIST_MAX} entries"));
        }
        list.iter().try_for_each(|one| texts(&[(field, Some(one))]))?;
    }
    Ok(())
}

fn named(entity: &Named) -> Result<(), String> {
    texts(&[("name", Some(&entity.name))])?;
    lists(&[("aliases", &entity.aliases)])
}

fn slot(slot: &Slot) -> Result<(), String> {
    let Slot { subject, predicate, object, .. } = slot;
    texts(&[("subject", Some(subject)), ("predicate", Some(predicate)), ("object", Some(object))])
}

fn share(confidence: f64) -> Result<(), String> {
    if (0.0..=1.0).contains(&confidence) {
        Ok(())
    } else {
        Err(format!("confidence {confidence} is not in 0..=1"))
    }
}
