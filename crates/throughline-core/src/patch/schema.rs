//! The schema of a patch, for models that are asked to write one.

use serde_json::{Value, json};

use super::{LIST_MAX, OPERATIONS_MAX, TEXT_BYTES_MAX, VERSION};
use crate::{Cardinality, EntityKind, Kind, Relation};

/// The JSON Schema of a patch. Flat on purpose: one shape with every field, the operation says
/// which of them it needs. [`super::read`] is stricter.
pub fn schema() -> Value {
    let text = |what: &str| json!({"type": "string", "minLength": 1, "maxLength": TEXT_BYTES_MAX, "description": what});
    let texts = |what: &str| json!({"type": "array", "maxItems": LIST_MAX, "items": {"type": "string", "minLength": 1}, "description": what});
    let names = |members: Vec<&str>| json!({"type": "string", "enum": members});
    let operation = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["op"],
        "properties": {
            "op": names(vec!["remember", "correct", "retract", "know", "relate"]),
            "kind": names(Kind::ALL.iter().map(|one| one.as_str()).collect()),
            "content": text("remember: the claim, to be understood without the conversation"),
            "label": text("remember: a short title"),
            "domain": text("remember: relationship, project, technical, personal or a word of the user's"),
            "slot": slot(),
            "because": texts("remember, correct: the reasons given"),
            "triggers": texts("remember: commands, file names or calls that bring it up"),
            "entities": {"type": "array", "maxItems": LIST_MAX, "items": named()},
            "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            "quote": text("the words it rests on, exactly as said"),
            "turn": {"type": "integer", "minimum": 0, "description": "the turn they stand in"},
            "wrong": text("correct: what was believed"),
            "right": text("correct: what is right, to be understood without the conversation"),
            "what": text("retract: what no longer holds"),
            "entity": named(),
            "from": text("relate: a handle, a name or a claim"),
            "relation": names(Relation::ALL.iter().map(|one| one.as_str()).collect()),
            "to": text("relate: a handle, a name or a claim"),
        },
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["version", "operations"],
        "properties": {
            "version": {"const": VERSION},
            "operations": {"type": "array", "maxItems": OPERATIONS_MAX, "items": operation},
        },
    })
}

fn slot() -> Value {
    let text = json!({"type": "string", "minLength": 1});
    let cardinality: Vec<&str> = Cardinality::ALL.iter().map(|one| one.as_str()).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["subject", "predicate", "object", "cardinality"],
        "properties": {
            "subject": text, "predicate": text, "object": text,
            "cardinality": {"type": "string", "enum": cardinality},
        },
    })
}

fn named() -> Value {
    let kinds: Vec<&str> = EntityKind::ALL.iter().map(|one| one.as_str()).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "kind"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "kind": {"type": "string", "enum": kinds},
            "aliases": {"type": "array", "maxItems": LIST_MAX, "items": {"type": "string"}},
        },
    })
}
