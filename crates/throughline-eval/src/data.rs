//! Benchmark sets as they lie on disk: sessions and questions, a line each.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use throughline_core::Timestamp;

/// A session of a set.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct WireSession {
    pub(crate) session: String,
    #[serde(default)]
    pub(crate) at: Option<Timestamp>,
    pub(crate) turns: Vec<WireTurn>,
}

/// A turn of a session.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct WireTurn {
    pub(crate) id: String,
    pub(crate) speaker: String,
    pub(crate) text: String,
}

/// A question with its haystack and its gold.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct WireQuestion {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) question: String,
    #[serde(default)]
    pub(crate) asked_at: Option<Timestamp>,
    /// What it is asked of; questions of one store are never parted when folds are made.
    #[serde(default)]
    pub(crate) store: String,
    pub(crate) haystack: Vec<String>,
    #[serde(default)]
    pub(crate) dates: BTreeMap<String, Timestamp>,
    pub(crate) gold_turns: Vec<String>,
    pub(crate) gold_sessions: Vec<String>,
}

/// A set: its sessions by name, its questions in order.
#[derive(Debug)]
pub(crate) struct Set {
    /// The last part of its prefix.
    pub(crate) name: String,
    pub(crate) sessions: BTreeMap<String, WireSession>,
    pub(crate) questions: Vec<WireQuestion>,
}

impl Set {
    /// Reads `PREFIX.sessions.jsonl` and `PREFIX.questions.jsonl`.
    pub(crate) fn read(prefix: &Path) -> anyhow::Result<Self> {
        let named = |end: &str| {
            let mut path = prefix.as_os_str().to_owned();
            path.push(end);
            PathBuf::from(path)
        };
        let sessions: Vec<WireSession> = lines(&named(".sessions.jsonl"))?;
        let sessions: BTreeMap<_, _> =
            sessions.into_iter().map(|one| (one.session.clone(), one)).collect();
        let path = named(".questions.jsonl");
        let questions: Vec<WireQuestion> = lines(&path)?;
        for (at, question) in questions.iter().enumerate() {
            let place = || format!("{}, line {}", path.display(), at + 1);
            let missing = question.haystack.iter().find(|one| !sessions.contains_key(*one));
            if let Some(missing) = missing {
                anyhow::bail!("{}: there is no session {missing}", place());
            }
            ensure!(!question.gold_sessions.is_empty(), "{}: no gold session", place());
        }
        let name = prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, sessions, questions })
    }

    /// The session that each turn belongs to.
    pub(crate) fn session_of(&self) -> BTreeMap<&str, &str> {
        self.sessions
            .values()
            .flat_map(|one| one.turns.iter().map(|turn| (turn.id.as_str(), one.session.as_str())))
            .collect()
    }
}

/// Reads a file of JSON lines.
pub(crate) fn lines<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut all = Vec::new();
    for (at, line) in BufReader::new(file).lines().enumerate() {
        let place = || format!("{}, line {}", path.display(), at + 1);
        let line = line.with_context(place)?;
        all.push(serde_json::from_str(&line).with_context(place)?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = r#"{"session":"s1","turns":[{"id":"t1","speaker":"user","text":"hi"}]}"#;

    /// Reads a set of these two files, and returns what was wrong with it.
    fn complaint(sessions: &str, questions: &str) -> String {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("tiny.sessions.jsonl"), sessions).unwrap();
        std::fs::write(home.path().join("tiny.questions.jsonl"), questions).unwrap();
        format!("{:#}", Set::read(&home.path().join("tiny")).unwrap_err())
    }

    #[test]
    fn a_broken_line_is_named_with_its_file() {
        let said = complaint(&format!("{SESSION}\n{{\"session\":"), "");
        assert!(said.contains("tiny.sessions.jsonl, line 2"), "{said}");
    }

    #[test]
    fn a_question_about_an_unknown_session_is_named_with_its_file() {
        let question = r#"{"id":"q","type":"x","question":"?","haystack":["s2"],"gold_turns":[],"gold_sessions":["s2"]}"#;
        let said = complaint(SESSION, question);
        assert!(said.contains("tiny.questions.jsonl, line 1: there is no session s2"), "{said}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let said = format!("{:#}", Set::read(Path::new("/nowhere/at-all")).unwrap_err());
        assert!(said.contains("/nowhere/at-all.sessions.jsonl"), "{said}");
    }
}
