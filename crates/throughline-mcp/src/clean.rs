//! What a tool was given, without what must not be kept.

use std::path::Path;

use serde_json::Value;
use throughline_core::SessionId;
use throughline_engine::Cleaner;

/// Takes the secrets out of everything a tool was given. Returns how many there were.
pub(crate) fn clean_value(home: &Path, session: Option<&SessionId>, value: &mut Value) -> usize {
    let mut cleaner = Cleaner::of(home, session);
    cleaner.texts(texts(value));
    cleaner.keep(home, session);
    cleaner.taken()
}

/// Every text of a value.
fn texts(value: &mut Value) -> Vec<&mut String> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter_mut().flat_map(texts).collect(),
        Value::Object(map) => map.values_mut().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}
