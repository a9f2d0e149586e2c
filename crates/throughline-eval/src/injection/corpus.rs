//! Real coding sessions: what would be remembered of them, and what people say in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::ensure;
use serde::Deserialize;
use throughline_core::{Authority, SessionId, Timestamp, text};
use throughline_engine::PastTurn;
use throughline_language::question;

use crate::data::{self, Set};

/// One message, as the file has it.
#[derive(Debug, Clone, Deserialize)]
struct WireMessage {
    session: String,
    role: String,
    #[serde(default)]
    at: Option<String>,
    text: String,
}

/// A session that becomes a project with a memory.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) session: String,
    pub(super) statements: Vec<Statement>,
    pub(super) turns: Vec<PastTurn>,
}

/// A sentence with the shape of something worth remembering.
#[derive(Debug, Clone)]
pub(super) struct Statement {
    pub(super) text: String,
    pub(super) authority: Authority,
}

/// Where a prompt comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Source {
    /// Written down here: what everybody says to every agent.
    Stock,
    /// Real and short, from other sessions.
    Short,
    /// Real requests of other sessions, which worked on the same code.
    Nearby,
    /// Real requests of another subject altogether.
    Foreign,
}

impl Source {
    pub(super) const ALL: [Self; 4] = [Self::Stock, Self::Short, Self::Nearby, Self::Foreign];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Short => "short",
            Self::Nearby => "nearby",
            Self::Foreign => "foreign",
        }
    }
}

/// A prompt that should be answered from nobody's memory.
#[derive(Debug, Clone)]
pub(super) struct Prompt {
    pub(super) source: Source,
    pub(super) text: String,
    /// The session it was said in, which is not asked.
    pub(super) session: String,
    /// The rules take it for small talk.
    pub(super) small_talk: bool,
}

/// What everybody says to every agent.
const STOCK: [&str; 36] = [
    "thanks",
    "thank you!",
    "ok",
    "okay, great",
    "yes",
    "yes please",
    "no",
    "sure",
    "continue",
    "go on",
    "go ahead",
    "proceed",
    "looks good",
    "looks good to me",
    "perfect",
    "nice work",
    "do it",
    "sounds good",
    "try again",
    "stop",
    "undo that",
    "run the tests",
    "run the tests again",
    "fix the lint errors",
    "commit",
    "commit this",
    "commit and push",
    "push it",
    "open a pull request",
    "format the code",
    "build it",
    "what's next?",
    "can you explain that?",
    "are you done?",
    "please clean this up",
    "good morning",
];

/// Up to here a real prompt is short.
const SHORT_CHARS: usize = 40;
/// Beginnings by which two prompts are told to be the same.
const SAME_CHARS: usize = 60;
/// What the program around an agent writes in the user's name.
const NOT_SAID: [&str; 6] = [
    "<",
    "[Request interrupted",
    "## Context",
    "Caveat:",
    "Base directory",
    "This session is being",
];

/// Words that sentences with a decision, a fact or a rule in them tend to hold.
const TELLING: [&str; 22] = [
    " is ",
    " are ",
    " uses ",
    " use ",
    " must ",
    " should ",
    " always ",
    " never ",
    " decided ",
    " because ",
    " instead ",
    " needs ",
    " only ",
    " default",
    " runs ",
    " requires ",
    " returns ",
    " means ",
    " want ",
    " doesn't ",
    " not ",
    " lives ",
];
/// Beginnings of sentences about the work of the moment.
const PASSING: [&str; 14] = [
    "Let me", "Let's", "I'll", "I will", "I'm ", "Now ", "Perfect", "Great", "Good", "Wait",
    "Actually", "The user", "I need", "I should",
];

/// Everything the file holds, session by session in the order of the file.
pub(super) struct Corpus {
    sessions: Vec<(String, Vec<WireMessage>)>,
}

impl Corpus {
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let mut sessions: Vec<(String, Vec<WireMessage>)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for message in data::lines::<WireMessage>(path)? {
            let at = *places.entry(message.session.clone()).or_insert_with(|| {
                sessions.push((message.session.clone(), Vec::new()));
                sessions.len() - 1
            });
            sessions[at].1.push(message);
        }
        Ok(Self { sessions })
    }

    /// So many sessions that say enough to be remembered, from all over the file.
    pub(super) fn projects(&self, n: usize, statements: usize) -> anyhow::Result<Vec<Project>> {
        let told: Vec<Project> = self
            .sessions
            .iter()
            .map(|(session, messages)| Project {
                session: session.clone(),
                statements: spread(statements_of(messages), statements),
                turns: turns_of(session, messages),
            })
            .filter(|project| project.statements.len() == statements)
            .collect();
        ensure!(told.len() >= n, "only {} sessions hold {statements} statements", told.len());
        Ok(spread(told, n))
    }

    /// Prompts that need no memory: stock, short ones, and at most `most` requests each of sessions
    /// beside and of other subjects. Leaves out what holds one of `skip`.
    pub(super) fn prompts(&self, foreign: &[Set], skip: &[String], most: usize) -> Vec<Prompt> {
        let stock = STOCK.iter().map(|text| prompt(Source::Stock, text, ""));
        let said: Vec<(&str, &str)> = self
            .sessions
            .iter()
            .flat_map(|(session, messages)| messages.iter().map(move |one| (session, one)))
            .filter(|(_, one)| one.role == "user")
            .map(|(session, one)| (session.as_str(), one.text.trim()))
            .filter(|(_, text)| !NOT_SAID.iter().any(|start| text.starts_with(start)))
            .filter(|(_, text)| {
                let text = text.to_lowercase();
                !skip.iter().any(|word| text.contains(&word.to_lowercase()))
            })
            .collect();
        let mut seen = BTreeSet::new();
        let distinct: Vec<(&str, &str)> = said
            .into_iter()
            .filter(|(_, text)| !text.is_empty() && seen.insert(beginning(text)))
            .collect();
        let is_short = |one: &(&str, &str)| one.1.chars().count() <= SHORT_CHARS;
        let (short, long): (Vec<_>, Vec<_>) = distinct.into_iter().partition(is_short);
        let real = |source| move |(session, text): (&str, &str)| prompt(source, text, session);
        let foreign = foreign.iter().flat_map(|set| requests(set, most.div_ceil(foreign.len())));
        let foreign = foreign.map(|text| prompt(Source::Foreign, &text, ""));
        stock
            .chain(short.into_iter().map(real(Source::Short)))
            .chain(spread(long, most).into_iter().map(real(Source::Nearby)))
            .chain(foreign)
            .collect()
    }
}

/// What users ask first in the sessions of a set.
fn requests(set: &Set, most: usize) -> Vec<String> {
    let first = |turns: &[data::WireTurn]| {
        turns.first().filter(|turn| turn.speaker == "user").map(|turn| turn.text.clone())
    };
    spread(set.sessions.values().filter_map(|one| first(&one.turns)).collect(), most)
}

fn prompt(source: Source, text: &str, session: &str) -> Prompt {
    Prompt {
        source,
        text: text.to_owned(),
        session: session.to_owned(),
        small_talk: question::understand(text, Timestamp::EPOCH).small_talk,
    }
}

fn beginning(text: &str) -> String {
    text::normalise(text).chars().take(SAME_CHARS).collect()
}

/// So many of all, from all over.
pub(super) fn spread<T>(all: Vec<T>, n: usize) -> Vec<T> {
    let len = all.len();
    if len <= n {
        return all;
    }
    let taken: BTreeSet<usize> = (0..n).map(|at| at * len / n).collect();
    all.into_iter().enumerate().filter(|(at, _)| taken.contains(at)).map(|(_, one)| one).collect()
}

fn statements_of(messages: &[WireMessage]) -> Vec<Statement> {
    let mut seen = BTreeSet::new();
    let mut statements = Vec::new();
    for message in messages {
        let authority = match message.role.as_str() {
            "user" if NOT_SAID.iter().any(|start| message.text.starts_with(start)) => continue,
            "user" => Authority::UserStated,
            _ => Authority::Extracted,
        };
        for line in without_thought(&message.text).lines() {
            for sentence in line.split_inclusive(". ").map(str::trim) {
                let sentence = sentence.trim_start_matches(['-', '*', ' ']);
                if is_statement(sentence) && seen.insert(beginning(sentence)) {
                    statements.push(Statement { text: sentence.to_owned(), authority });
                }
            }
        }
    }
    statements
}

fn is_statement(sentence: &str) -> bool {
    (40..=200).contains(&sentence.chars().count())
        && sentence.starts_with(char::is_alphabetic)
        && !sentence.ends_with(['?', ':'])
        && !sentence.contains(['|', '{', '}', ';', '<'])
        && !PASSING.iter().any(|start| sentence.starts_with(start))
        && TELLING.iter().any(|word| sentence.contains(word))
}

/// What was said, without what was thought before.
fn without_thought(text: &str) -> &str {
    text.rsplit_once("</think>").map_or(text, |(_, said)| said)
}

fn turns_of(session: &str, messages: &[WireMessage]) -> Vec<PastTurn> {
    let mut at = Timestamp::EPOCH;
    let mut turns = Vec::new();
    for message in messages {
        let given = message.at.as_deref().and_then(|at| at.replacen(' ', "T", 1).parse().ok());
        at = given.unwrap_or(at);
        turns.push(PastTurn {
            session: SessionId(session.to_owned()),
            at,
            speaker: message.role.clone(),
            text: message.text.clone(),
            id: None,
        });
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: &str, text: &str) -> WireMessage {
        let (session, role, text) = ("s".to_owned(), role.to_owned(), text.to_owned());
        WireMessage { session, role, at: Some("2026-01-16 22:18:20Z".to_owned()), text }
    }

    #[test]
    fn statements_are_claims_and_not_questions_plans_or_thoughts() {
        let messages = [
            said(
                "user",
                "The lighthouse config must never be read before the flags are. Is it clear?",
            ),
            said(
                "assistant",
                "<think>The lamp is always lit, or so I would think here</think>Let me look at what is there now in the lamp code.",
            ),
            said(
                "assistant",
                "- The lamp driver requires a warm-up of two seconds because of the relay",
            ),
            said(
                "user",
                "<command-name>the lamp is never shown in the list of all lamps</command-name>",
            ),
        ];
        let found = statements_of(&messages);
        let texts: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "The lighthouse config must never be read before the flags are.",
                "The lamp driver requires a warm-up of two seconds because of the relay",
            ]
        );
        assert_eq!(found[0].authority, Authority::UserStated);
        assert_eq!(found[1].authority, Authority::Extracted);
    }

    #[test]
    fn a_spread_takes_from_all_over() {
        assert_eq!(spread((0..10).collect(), 4), [0, 2, 5, 7]);
        assert_eq!(spread(vec![1, 2], 4), [1, 2]);
    }

    #[test]
    fn times_are_read_as_the_file_writes_them() {
        let turns = turns_of("s", &[said("user", "hello there")]);
        assert_eq!(turns[0].at.date(), "2026-01-16");
    }
}
