//! Files of keys and values: TOML, JSON, and lines.

use serde_json::{Map, Value};
use toml_edit::{DocumentMut, Item};

/// How many lines may say something about the same key.
const LINES_MAX: usize = 16;

/// The longest key that is looked for, in bytes.
const KEY_BYTES_MAX: usize = 256;

/// Words before a name that is given a value.
const PREFIXES: [&str; 4] = ["export ", "ENV ", "ARG ", "require "];

/// Files whose only line is a version, and whose.
const VERSIONS: [(&str, &str); 5] = [
    (".nvmrc", "node"),
    (".node-version", "node"),
    (".python-version", "python"),
    (".ruby-version", "ruby"),
    ("rust-toolchain", "rust"),
];

/// A file as keys and values.
#[derive(Debug)]
pub(crate) enum Manifest {
    Tree(Value),
    Lines(String),
    /// The version of one tool, and nothing else.
    Version(&'static str, String),
}

impl Manifest {
    /// `None` if it is not what its name says, or not text.
    pub(crate) fn parse(path: &str, bytes: &[u8]) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or_default();
        let text = std::str::from_utf8(bytes).ok()?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some((_, tool)) = VERSIONS.iter().find(|(file, _)| *file == name)
            && let Some(version) = only_line(text)
        {
            return Some(Self::Version(tool, version.to_owned()));
        }
        match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("toml") => toml(text).map(Self::Tree),
            Some("json") => json(text).map(Self::Tree),
            Some("lock") => {
                Some(json(text).or_else(|| toml(text)).map_or_else(|| lines(text), Self::Tree))
            }
            _ => Some(lines(text)),
        }
    }

    /// The value of a key, as text.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        if key.is_empty() || key.len() > KEY_BYTES_MAX {
            return None;
        }
        match self {
            Self::Tree(tree) => in_tree(tree, key).map(|value| match value {
                Value::String(text) => text,
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::Array(_)
                | Value::Object(_) => value.to_string(),
            }),
            Self::Lines(text) => in_lines(text, key),
            Self::Version(tool, version) => {
                (key == *tool || key == "version").then(|| version.clone())
            }
        }
    }
}

fn lines(text: &str) -> Manifest {
    Manifest::Lines(text.to_owned())
}

fn only_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().filter(|_| lines.next().is_none())
}

fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn toml(text: &str) -> Option<Value> {
    let document: DocumentMut = text.parse().ok()?;
    Some(from_item(document.as_item()))
}

/// Without comments and spaces, so that only what is said counts.
fn from_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => from_value(value),
        Item::Table(table) => {
            table.iter().map(|(key, item)| (key.to_owned(), from_item(item))).collect()
        }
        Item::ArrayOfTables(tables) => {
            let tables = tables.iter().map(|table| {
                let entries = table.iter().map(|(key, item)| (key.to_owned(), from_item(item)));
                Value::Object(entries.collect::<Map<_, _>>())
            });
            tables.collect()
        }
    }
}

fn from_value(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => Value::String(text.value().clone()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => Value::from(*number.value()),
        toml_edit::Value::Boolean(truth) => Value::from(*truth.value()),
        toml_edit::Value::Datetime(moment) => Value::String(moment.value().to_string()),
        toml_edit::Value::Array(values) => values.iter().map(from_value).collect(),
        toml_edit::Value::InlineTable(table) => {
            table.iter().map(|(key, value)| (key.to_owned(), from_value(value))).collect()
        }
    }
}

/// A dotted key. Names may have dots themselves, so the longest that is there goes first.
fn in_tree(tree: &Value, key: &str) -> Option<Value> {
    match tree {
        Value::Object(entries) => {
            if let Some(value) = entries.get(key) {
                return Some(value.clone());
            }
            let dots: Vec<usize> = key.match_indices('.').map(|(at, _)| at).collect();
            dots.iter().rev().find_map(|at| in_tree(entries.get(&key[..*at])?, &key[at + 1..]))
        }
        Value::Array(entries) => in_packages(entries, key),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The versions of a package in a lock file, or another of its keys.
fn in_packages(entries: &[Value], key: &str) -> Option<Value> {
    let of = |name: &str, rest: &str| -> Option<Value> {
        let named = entries.iter().filter(|entry| entry["name"].as_str() == Some(name));
        let mut values = named.filter_map(|entry| in_tree(entry, rest));
        let first = values.next()?;
        let more: Vec<Value> = values.collect();
        if more.is_empty() {
            return Some(first);
        }
        let all = std::iter::once(first).chain(more);
        let all: Vec<String> = all
            .map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned))
            .collect();
        Some(Value::String(all.join(", ")))
    };
    of(key, "version").or_else(|| {
        let dots: Vec<usize> = key.match_indices('.').map(|(at, _)| at).collect();
        dots.iter().rev().find_map(|at| of(&key[..*at], &key[at + 1..]))
    })
}

/// All that the lines say about a key: a stage may be built more than once.
fn in_lines(text: &str, key: &str) -> Option<String> {
    let values = text.lines().filter_map(|line| in_line(line, key));
    let values: Vec<&str> = values.take(LINES_MAX).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// `key = value`, `key: value`, `KEY=value`, `key value`.
fn in_line<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let line = line.trim();
    if line.starts_with('#') || line.starts_with("//") {
        return None;
    }
    let after = |line: &'a str| unquoted(line, key)?.strip_prefix([' ', '\t', '=', ':']);
    let rest = after(line)
        .or_else(|| PREFIXES.iter().find_map(|prefix| after(line.strip_prefix(prefix)?.trim())))?;
    let rest = rest.trim_start().trim_start_matches([':', '=']).trim();
    let comment = [" #", " //", "\t#"].iter().filter_map(|mark| rest.find(mark)).min();
    let value = rest[..comment.unwrap_or(rest.len())].trim().trim_end_matches([',', ';']);
    let value = value.trim_matches(['"', '\'']);
    (!value.is_empty()).then_some(value)
}

/// What follows a key, in quotes or not.
fn unquoted<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    let quote = line.chars().next().filter(|first| matches!(first, '"' | '\''));
    match quote {
        Some(quote) => line.strip_prefix(quote)?.strip_prefix(key)?.strip_prefix(quote),
        None => line.strip_prefix(key),
    }
}
