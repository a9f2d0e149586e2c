//! What a tool was given, without what must not be kept.

use std::path::Path;

use serde_json::Value;
use throughline_core::SessionId;
use throughline_engine::{Cleaner, NamedBy};

/// Takes the secrets out of everything a tool was given. Returns how many there were.
pub(crate) fn clean_value(home: &Path, session: Option<&SessionId>, value: &mut Value) -> usize {
    let mut cleaner = Cleaner::of(home, session);
    clean_named(&mut cleaner, value);
    cleaner.texts(texts(value));
    cleaner.keep(home, session, NamedBy::Others);
    cleaner.taken()
}

/// Fields that name what other fields of the same object describe, and those fields.
const NAMES: [&str; 3] = ["name", "entityName", "entityType"];
const DESCRIBED: [&str; 2] = ["observations", "contents"];
/// Fields with the contents of the file that `path` names.
const CONTENTS: [&str; 3] = ["file_text", "new_str", "insert_text"];
/// Texts of a list that are looked at beside each other.
const BESIDE_MAX: usize = 16;

/// Takes out what is secret because of a name beside it.
fn clean_named(cleaner: &mut Cleaner, value: &mut Value) {
    match value {
        Value::Array(items) => {
            let names = items.iter().filter_map(Value::as_str).take(BESIDE_MAX);
            let names: Vec<String> = names.map(str::to_owned).collect();
            for item in items.iter_mut().take(BESIDE_MAX) {
                let Value::String(text) = item else { continue };
                names.iter().for_each(|name| cleaner.named(name, text));
            }
            items.iter_mut().for_each(|item| clean_named(cleaner, item));
        }
        Value::Object(map) => {
            let text = |field: &&str| map.get(*field).and_then(Value::as_str).map(str::to_owned);
            let names: Vec<String> = NAMES.iter().filter_map(text).collect();
            let path = text(&"path");
            for field in DESCRIBED {
                for text in map.get_mut(field).map(texts).unwrap_or_default() {
                    names.iter().for_each(|name| cleaner.named(name, text));
                }
            }
            if let Some(path) = path {
                for field in CONTENTS {
                    if let Some(Value::String(text)) = map.get_mut(field) {
                        cleaner.file(&path, text);
                    }
                }
            }
            map.values_mut().for_each(|part| clean_named(cleaner, part));
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
