//! What a person who decides about an operation reads, and what they may add to it.

use serde_json::Value;

use super::{Artifact, Correct, Operation, Relate, Remember, Retract, Summarize};
use crate::Kind;

/// What is said of an operation that nobody here can read.
pub const NOT_UNDERSTOOD: &str = "this version does not understand what it asks for";

/// What stands in an operation that nobody here can read, for a person to see: its texts, without the signs
/// of the format.
pub fn texts_of(operation: &str) -> String {
    let Ok(read) = serde_json::from_str(operation) else {
        let signs = ['{', '}', '[', ']', '"'];
        let plain = operation.replace(signs, " ");
        return plain.split_whitespace().collect::<Vec<_>>().join(" ");
    };
    let mut texts = Vec::new();
    collect_texts(&read, &mut texts);
    texts.join(" · ")
}

fn collect_texts(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Number(number) => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|one| collect_texts(one, texts)),
        Value::Object(fields) => fields.values().for_each(|one| collect_texts(one, texts)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// What a person adds to an operation that waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amendment<'a> {
    /// What holds, in their own words.
    pub text: Option<&'a str>,
    /// The memory that it speaks of, by its id.
    pub memory: Option<&'a str>,
}

impl Operation {
    /// What it would do, in a sentence.
    pub fn in_words(&self) -> String {
        match self {
            Self::Remember(Remember { kind, content, because, .. }) => {
                format!("remember as a {kind}: “{content}”{}", reasons(because))
            }
            Self::Correct(Correct { wrong, right, because, .. }) => {
                format!("replace “{wrong}” by “{right}”{}", reasons(because))
            }
            Self::Retract(Retract { what, .. }) => format!("take back “{what}”"),
            Self::Archive(Retract { what, .. }) => format!("put away “{what}”"),
            Self::Know { entity } => {
                let also = entity.aliases.join(", ");
                let also = if also.is_empty() { also } else { format!(", also called {also}") };
                format!("note the {} {}{also}", entity.kind, entity.name)
            }
            Self::Relate(Relate { from, relation, to, .. }) => {
                format!("link “{from}” {} “{to}”", relation.as_str().replace('_', " "))
            }
            Self::Settle(settle) => format!("put away a failure that is over: “{}”", settle.failed),
            Self::Summarize(Summarize { of, content, .. }) => {
                format!("sum up “{}” as “{content}”", of.join("”, “"))
            }
            Self::Artifact(Artifact { label, content, .. }) => {
                format!("keep word for word ({label}): “{content}”")
            }
        }
    }

    /// What it takes back or replaces, as it was written: a handle, or words.
    pub fn speaks_of(&self) -> Option<&str> {
        match self {
            Self::Correct(put_right) => Some(&put_right.wrong),
            Self::Retract(back) | Self::Archive(back) => Some(&back.what),
            Self::Remember(_)
            | Self::Know { .. }
            | Self::Relate(_)
            | Self::Settle(_)
            | Self::Summarize(_)
            | Self::Artifact(_) => None,
        }
    }

    /// The operation as a person lets it through: said in their turn, with what they added.
    #[must_use]
    pub fn amended(self, by: Amendment<'_>) -> Self {
        let said_now = Some(0);
        match (self, by.text) {
            (Self::Remember(it), text) => {
                let content = text.map_or(it.content, str::to_owned);
                Self::Remember(Remember { content, turn: said_now, ..it })
            }
            (Self::Correct(it), text) => {
                let right = text.map_or(it.right, str::to_owned);
                let wrong = by.memory.map_or(it.wrong, str::to_owned);
                Self::Correct(Correct { wrong, right, turn: said_now, ..it })
            }
            (Self::Retract(it), text) => {
                let what = by.memory.map_or(it.what, str::to_owned);
                match text {
                    Some(right) => Self::Correct(corrected(what, right)),
                    None => Self::Retract(Retract { what, turn: said_now, ..it }),
                }
            }
            (Self::Archive(it), _) => {
                let what = by.memory.map_or(it.what, str::to_owned);
                Self::Archive(Retract { what, turn: said_now, ..it })
            }
            (Self::Summarize(it), text) => {
                let content = text.map_or(it.content, str::to_owned);
                Self::Summarize(Summarize { content, confidence: 1.0, turn: said_now, ..it })
            }
            (Self::Artifact(it), text) => {
                let content = text.map_or(it.content, str::to_owned);
                Self::Artifact(Artifact { content, confidence: 1.0, turn: said_now, ..it })
            }
            (other @ (Self::Know { .. } | Self::Relate(_) | Self::Settle(_)), _) => other,
        }
    }

    /// What a person says instead of something that cannot be read.
    pub fn said_instead(by: Amendment<'_>) -> Option<Self> {
        let text = by.text?;
        Some(match by.memory {
            Some(memory) => Self::Correct(corrected(memory.to_owned(), text)),
            None => Self::Remember(Remember {
                kind: Kind::Fact,
                content: text.to_owned(),
                label: None,
                domain: None,
                slot: None,
                because: Vec::new(),
                triggers: Vec::new(),
                entities: Vec::new(),
                confidence: 1.0,
                quote: None,
                turn: Some(0),
            }),
        })
    }
}

fn corrected(wrong: String, right: &str) -> Correct {
    Correct {
        wrong,
        right: right.to_owned(),
        kind: Kind::Fact,
        slot: None,
        because: Vec::new(),
        confidence: 1.0,
        quote: None,
        turn: Some(0),
    }
}

fn reasons(because: &[String]) -> String {
    if because.is_empty() { String::new() } else { format!(", because {}", because.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retract(what: &str) -> Operation {
        Operation::Retract(Retract {
            what: what.to_owned(),
            confidence: 0.5,
            quote: None,
            turn: None,
            exact: false,
        })
    }

    #[test]
    fn an_operation_says_what_it_would_do() {
        assert_eq!(
            retract("Staging runs Postgres 14").in_words(),
            "take back “Staging runs Postgres 14”"
        );
    }

    #[test]
    fn whoever_decides_says_which_memory_is_meant_and_what_holds() {
        let by = Amendment { text: None, memory: Some("0197aa") };
        assert_eq!(retract("the old one").amended(by).speaks_of(), Some("0197aa"));
        let by = Amendment { text: Some("Staging runs Postgres 16"), memory: Some("0197aa") };
        let Operation::Correct(put_right) = retract("the old one").amended(by) else {
            panic!("a correction takes the place of what is taken back");
        };
        assert_eq!((&*put_right.wrong, &*put_right.right), ("0197aa", "Staging runs Postgres 16"));
    }

    #[test]
    fn what_cannot_be_read_needs_words() {
        assert_eq!(Operation::said_instead(Amendment::default()), None);
        let by = Amendment { text: Some("CI runs on Buildkite"), memory: None };
        let said = Operation::said_instead(by).expect("there are words");
        assert_eq!(said.in_words(), "remember as a fact: “CI runs on Buildkite”");
    }
}
