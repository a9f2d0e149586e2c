//! Values in the files beside the store: journals, minds, what was told, what was noted. Each is
//! rewritten as whoever writes it would; what nobody knows loses the value where it stands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use throughline_core::trace::{self, Trace};
use throughline_core::{text, words};

use crate::capture::Minds;
use crate::engine::{DATABASE, INDEXES};
use crate::journal::Journal;
use crate::recall::clean_spool;
use crate::told::Tellings;

/// Folders that are cleaned in another way: copies through SQLite, and what is derived is removed.
const ELSEWHERE: [&str; 4] = ["backups", "damaged", "briefs", INDEXES];

/// Takes values out of the files of a home. Returns those that could not be cleaned.
pub(in crate::purge) fn take_out(home: &Path, traces: &[Trace]) -> Vec<PathBuf> {
    let mut left = Vec::new();
    let mut found = FoundValues::new(traces);
    left.extend(Journal::new(home).rewrite(&mut |line| found.clean_line(line)));
    left.extend(Minds::new(home).rewrite(&mut |json| found.clean_json(json)));
    left.extend(Tellings::new(home).rewrite(&mut |line| found.clean_line(line)));
    left.extend(clean_spool(home, &mut |line| found.clean_line(line)));
    for path in others(home) {
        if super::super::scrub::scrub_secrets_in(&path, traces).is_err() && path.exists() {
            left.push(path);
        }
    }
    left
}

/// Values that are looked for, and the words of those that were found: what a session's topic is, is
/// kept in words.
struct FoundValues<'a> {
    traces: &'a [Trace],
    words: BTreeSet<String>,
}

impl<'a> FoundValues<'a> {
    fn new(traces: &'a [Trace]) -> Self {
        Self { traces, words: BTreeSet::new() }
    }

    /// A line without the values; `None` where it holds none.
    fn clean_line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let written = String::from_utf8_lossy(line);
        if !trace::holds(self.traces, &written) {
            return None;
        }
        self.learn(&written);
        if let Ok(mut json) = serde_json::from_slice::<Value>(line) {
            trace::take_out_of_json(self.traces, &mut json);
            let mut clean = serde_json::to_vec(&json).ok()?;
            clean.push(b'\n');
            return Some(clean);
        }
        // A line that nobody can read any more, with the value as JSON writes it, is not worth keeping.
        let clean = trace::take_out(self.traces, &written).unwrap_or_default();
        let end = if line.ends_with(b"\n") && !clean.ends_with('\n') { "\n" } else { "" };
        Some(format!("{clean}{end}").into_bytes())
    }

    /// Takes the values, and their words, out of what a session has in mind. Says whether there were any.
    fn clean_json(&mut self, json: &mut Value) -> bool {
        let written = json.to_string();
        let mut any = trace::holds(self.traces, &written);
        if any {
            self.learn(&written);
            trace::take_out_of_json(self.traces, json);
        }
        if let Some(Value::Array(topic)) = json.pointer_mut("/hot/topic") {
            let before = topic.len();
            topic.retain(|term| !term.as_str().is_some_and(|term| self.words.contains(term)));
            any |= topic.len() < before;
        }
        any
    }

    fn learn(&mut self, written: &str) {
        let plain = text::unescaped(written);
        for text in [written, plain.as_str()] {
            let places = self.traces.iter().flat_map(|trace| trace.places(text.as_bytes()));
            for value in places.filter_map(|(from, to)| text.get(from..to)) {
                self.words.extend(words::terms(value));
                self.words.extend(words::query_terms(value));
            }
        }
    }
}

/// The other files of a home, but for the database itself, which only SQLite opens.
fn others(home: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![home.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => {
                    if folder != home || !ELSEWHERE.contains(&&*name) {
                        open.push(path);
                    }
                }
                Ok(kind) if kind.is_file() && !name.starts_with(DATABASE) => found.push(path),
                Ok(_) | Err(_) => {}
            }
        }
    }
    found.sort();
    found
}
