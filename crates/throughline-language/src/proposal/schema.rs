//! The form in which a model answers: flat, every field required, nothing optional or of two sorts,
//! so that every service can hold its model to it.

use serde_json::{Value, json};

use throughline_core::{Cardinality, Kind};

/// What a model may propose.
pub(super) const OPS: [&str; 3] = ["remember", "correct", "retract"];

/// The sorts of claim that a model may propose. What we conclude ourselves is not among them.
pub(super) fn kinds() -> Vec<Kind> {
    let ours = [Kind::Lesson, Kind::Gap, Kind::Correction];
    Kind::ALL.iter().copied().filter(|kind| !ours.contains(kind)).collect()
}

/// The JSON Schema of an answer. [`super::read()`] is stricter.
pub fn schema() -> Value {
    let text = |what: &str| json!({"type": "string", "description": what});
    let texts =
        |what: &str| json!({"type": "array", "items": {"type": "string"}, "description": what});
    let kinds: Vec<&str> = kinds().into_iter().map(Kind::as_str).collect();
    let mut cardinalities: Vec<&str> = Cardinality::ALL.iter().map(|one| one.as_str()).collect();
    cardinalities.push("none");
    let operation = object(&[
        ("op", json!({"type": "string", "enum": OPS})),
        ("turn", json!({"type": "integer", "description": "the number of the turn it rests on"})),
        ("quote", text("the words of that turn it rests on, exactly as they stand there")),
        ("kind", json!({"type": "string", "enum": kinds})),
        (
            "content",
            text("the claim, to be understood without the conversation; empty for retract"),
        ),
        (
            "target",
            text(
                "correct, retract: the id of the known memory that is wrong, or its words; else empty",
            ),
        ),
        ("subject", text("the claim in parts: what it is about; empty if it has none")),
        ("predicate", text("what is said of it; empty if it has none")),
        ("object", text("the value; empty if it has none")),
        (
            "cardinality",
            json!({"type": "string", "enum": cardinalities, "description": "one if there can only be one value, none without parts"}),
        ),
        ("because", texts("the reasons that were given")),
        (
            "triggers",
            texts(
                "for what failed and how things are done: commands or files that should bring it up",
            ),
        ),
        ("confidence", json!({"type": "number", "description": "from 0 to 1"})),
    ]);
    object(&[("operations", json!({"type": "array", "items": operation}))])
}

/// An object with these fields, all of them and no others.
pub(super) fn object(fields: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|(name, form)| ((*name).to_owned(), form.clone())).collect();
    json!({"type": "object", "additionalProperties": false, "required": required,
        "properties": properties})
}
