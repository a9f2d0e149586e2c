//! Which words state which property.

use crate::speech::cue::Cues;
use throughline_core::Cardinality;

/// What a value must look like.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// Anything short.
    Short,
    /// A name, a number, code.
    Named,
    /// A path or an address.
    Place,
    /// A number and what it counts.
    Amount,
}

/// Properties that sentences state: the cue, what the property is called, how many values it has.
pub(super) static STATED: [(Cues, &str, Cardinality, Value); 27] = [
    (
        Cues::of("(now|currently|still) runs|run on|under|at"),
        "runs on",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) running on|under|at"),
        "runs on",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) hosted|deployed on|at|in|to"),
        "is hosted on",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of(
            "is|are (now|currently|still) located|stored|kept|defined|found|configured in|at|under|on",
        ),
        "lives in",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("(now|currently|still) lives|live|sits|resides in|at|under|on"),
        "lives in",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("(now|currently|still) listens|listen on (port)"),
        "listens on",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) on port"),
        "listens on",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("(now|currently|still) defaults|default to"),
        "defaults to",
        Cardinality::One,
        Value::Short,
    ),
    (
        Cues::of("is|are (now|currently|still) written in"),
        "is written in",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) built with|on"),
        "is built with",
        Cardinality::Many,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) named|called"),
        "is named",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) owned|maintained by"),
        "is owned by",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of("is|are (now|currently|still) at|under|in|here"),
        "is at",
        Cardinality::One,
        Value::Place,
    ),
    (
        Cues::of("is|are (now|currently|still) only for"),
        "is only for",
        Cardinality::Many,
        Value::Short,
    ),
    (
        Cues::of("is|are (now|currently|still) consumed|used|read by"),
        "is used by",
        Cardinality::Many,
        Value::Named,
    ),
    (
        Cues::of("(now|currently|still) goes|go to|through|via"),
        "goes to",
        Cardinality::One,
        Value::Named,
    ),
    (
        Cues::of(
            "is|are (now|currently|still) sent|delivered|processed|handled|generated|rendered|served|managed|\
            monitored|translated|signed with|by|via|through",
        ),
        "is handled by",
        Cardinality::One,
        Value::Named,
    ),
    (Cues::of("(now|currently|still) runs|run in"), "runs in", Cardinality::One, Value::Named),
    (
        Cues::of("(now|currently|still) reports|report to"),
        "reports to",
        Cardinality::One,
        Value::Short,
    ),
    (Cues::of("(now|currently|still) works|work on"), "works on", Cardinality::One, Value::Short),
    (
        Cues::of("is|are (now|currently|still) based in"),
        "is based in",
        Cardinality::One,
        Value::Short,
    ),
    (
        Cues::of("(now|currently|still) has|have|lasts|last|takes|take"),
        "has",
        Cardinality::One,
        Value::Amount,
    ),
    (
        Cues::of(
            "(now|currently|still) expires|expire|ends|end|times after|out, \
            is|are (now|currently|still) kept|retained|stored|retried|limited|capped|cached for|to|after|every, \
            is|are (now|currently|still) retried|limited|capped|repeated",
        ),
        "is limited to",
        Cardinality::One,
        Value::Amount,
    ),
    (Cues::of("(now|currently|still) uses"), "uses", Cardinality::Many, Value::Named),
    (
        Cues::of("(now|currently|still) requires|require"),
        "requires",
        Cardinality::Many,
        Value::Named,
    ),
    (Cues::of("(now|currently|still) supports"), "supports", Cardinality::Many, Value::Named),
    (Cues::of("(now|currently|still) depends on"), "depends on", Cardinality::Many, Value::Short),
];
