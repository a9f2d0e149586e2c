//! Two smaller questions: do claims contradict each other, and which of them fit a question?

use serde_json::{Value, json};

use super::schema::object;
use super::{member, prompt};
use throughline_core::Timestamp;

/// Two claims, the older one first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// What was said first, and when.
    pub older: (String, Timestamp),
    /// What was said later, and when.
    pub newer: (String, Timestamp),
}

throughline_core::closed_set! {
    /// What a model thinks of a pair.
    pub enum PairVerdict ("verdict") {
        /// Both can hold.
        Compatible = "compatible",
        /// They say the same.
        Same = "same",
        /// They cannot both hold.
        Contradicts = "contradicts",
        /// The newer one tells of a change.
        Replaces = "replaces",
    }
}

/// What is shown of pairs.
pub fn pairs_prompt(pairs: &[Pair]) -> String {
    let mut text = String::from("The pairs:\n");
    for (at, Pair { older, newer }) in pairs.iter().enumerate() {
        let line = json!({"pair": at, "older": older.0, "said": older.1.to_string(),
            "newer": newer.0, "said_later": newer.1.to_string()});
        text.push_str(&format!("{line}\n"));
    }
    text.push_str("\nSay one verdict for each pair.");
    text
}

/// The form of an answer about pairs.
pub fn pairs_schema() -> Value {
    let verdicts: Vec<&str> = PairVerdict::ALL.iter().map(|one| one.as_str()).collect();
    let one = object(&[
        ("pair", json!({"type": "integer"})),
        ("verdict", json!({"type": "string", "enum": verdicts})),
        ("why", json!({"type": "string"})),
    ]);
    object(&[("verdicts", json!({"type": "array", "items": one}))])
}

/// The verdicts in an answer, one for each pair; `None` where there is none, or more than one.
pub fn pairs(answer: &Value, count: usize) -> Vec<Option<(PairVerdict, String)>> {
    let mut found: Vec<Vec<(PairVerdict, String)>> = vec![Vec::new(); count];
    let listed = answer.get("verdicts").and_then(Value::as_array);
    for one in listed.map(Vec::as_slice).unwrap_or_default() {
        let place = one.get("pair").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let verdict = member(one, "verdict").and_then(|name| name.parse::<PairVerdict>().ok());
        let why = one.get("why").and_then(Value::as_str).unwrap_or_default();
        if let (Some(slot), Some(verdict)) = (place.and_then(|at| found.get_mut(at)), verdict) {
            slot.push((verdict, throughline_core::text::headline(why, 200)));
        }
    }
    let single =
        |mut told: Vec<(PairVerdict, String)>| if told.len() == 1 { told.pop() } else { None };
    found.into_iter().map(single).collect()
}

/// What is shown of a question and of what may fit it.
pub fn fitting_prompt(question: &str, claims: &[&str]) -> String {
    let mut text = format!("{}\n\nThe notes:\n", json!({"question": question}));
    for (at, claim) in claims.iter().enumerate() {
        text.push_str(&format!("{}\n", json!({"id": prompt::name_of(at), "says": claim})));
    }
    text.push_str("\nList the ids of the notes that help, best first. None may help.");
    text
}

/// The form of an answer about what fits.
pub fn fitting_schema() -> Value {
    object(&[("fitting", json!({"type": "array", "items": {"type": "string"}}))])
}

/// The places of the claims that fit, best first; `None` if the answer is not one.
pub fn fitting(answer: &Value, count: usize) -> Option<Vec<usize>> {
    let mut places = Vec::new();
    for one in answer.get("fitting")?.as_array()? {
        let named = one.as_str()?.trim();
        let place = (0..count).find(|at| prompt::name_of(*at).eq_ignore_ascii_case(named));
        if let Some(place) = place.filter(|place| !places.contains(place)) {
            places.push(place);
        }
    }
    Some(places)
}
