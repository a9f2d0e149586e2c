//! Proof: whether what an agent quotes stands in a tool result that was captured in this project and
//! session. Only then was it measured; otherwise it is the agent's word.

use std::collections::BTreeSet;

use throughline_core::Speaker;
use throughline_core::permission::{Backing, is_measurable};
use throughline_core::{Kind, Row, RowKey, words};
use throughline_store::{Reader, TextOf, TextQuery};

use crate::Result;
use crate::capture::{named_turn, turns_of};
use crate::flows::Keeping;
use crate::journal::Journal;

/// Characters, without white space, from which on a quote can be found in one place and not in any.
const QUOTE_CHARS_MIN: usize = 8;
/// Letters of a word that a quote must share with the claim that it is to prove.
const SHARED_CHARS_MIN: usize = 4;
/// Tool results that are looked at, the nearest by their words.
const RESULTS_MAX: usize = 64;
/// Our own program prints what an agent made us keep: that proves nothing.
const OURS: &str = "throughline";

/// Tools of the hosts that give back what an agent said: helpers, and lists that it keeps for itself.
const AGENTS_WORDS: [&str; 8] = [
    "task",
    "agent",
    "todowrite",
    "todo_write",
    "write_todos",
    "update_plan",
    "exitplanmode",
    "save_memory",
];

/// A quote that is to prove a claim.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProofQuote<'a> {
    /// The kind of the claim.
    pub(crate) kind: Kind,
    /// What it says.
    pub(crate) claim: &'a str,
    /// The words that are said to show it.
    pub(crate) words: &'a str,
}

impl Keeping<'_> {
    /// What stands behind a quote.
    pub(crate) fn backing(
        &self,
        reader: &dyn Reader,
        quote: &ProofQuote<'_>,
        unread: &[String],
    ) -> Result<Backing> {
        let wanted = joined(quote.words);
        let telling = wanted.chars().filter(|c| !c.is_whitespace()).count() >= QUOTE_CHARS_MIN;
        let proves = bears_on(&wanted, quote.claim) && holds_numbers(&wanted, quote.claim);
        if !telling || !is_measurable(quote.kind) || !proves {
            return Ok(Backing::Asserted);
        }
        let results = self.tool_results(reader, quote.words)?;
        let shown = results.iter().chain(unread).any(|result| shows(result, &wanted));
        Ok(if shown { Backing::ToolResult } else { Backing::Asserted })
    }

    fn tool_results(&self, reader: &dyn Reader, words: &str) -> Result<Vec<String>> {
        let Some(session) = &self.context.session else { return Ok(Vec::new()) };
        let query = TextQuery {
            of: TextOf::Episodes,
            terms: words::query_terms(words),
            spaces: vec![self.context.project.space()],
            session: None,
            states: Vec::new(),
            kinds: Vec::new(),
            limit: RESULTS_MAX,
        };
        let hits = reader.text(&query)?;
        let keys: Vec<RowKey> = hits.iter().map(|hit| RowKey::node(hit.space, hit.node)).collect();
        let turns = reader.rows(&keys)?.into_iter().flatten().filter_map(Row::into_episode);
        Ok(turns
            .filter(|turn| turn.session == *session && turn.speaker == Speaker::Tool.as_str())
            .map(|turn| turn.text)
            .collect())
    }

    /// Tool results of the session that lie in its journal and were not taken in yet. Read before a
    /// write begins.
    pub(crate) fn unread_results(&self) -> Result<Vec<String>> {
        let Some(session) = &self.context.session else { return Ok(Vec::new()) };
        let journal = Journal::new(&self.engine.home);
        let waiting = journal.read(session, journal.drained(session)).unwrap_or_default();
        let (space, reader) = (self.context.project.space(), self.engine.now_reader()?);
        let mut results = Vec::new();
        for (_, entry) in &waiting.entries {
            for turn in turns_of(&entry.event, entry.at) {
                if turn.speaker != Speaker::Tool {
                    continue;
                }
                let named = named_turn(&self.engine.home, &*reader, entry, &turn)?;
                results.extend(named.filter(|one| one.space == space).map(|one| one.text));
            }
        }
        Ok(results)
    }
}

/// A text with single spaces between its words.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a quote stands in what a tool printed. The command itself is the agent's.
fn shows(result: &str, wanted: &str) -> bool {
    let (asked, printed) = result.split_once('\n').unwrap_or((result, ""));
    !asked.contains(OURS) && !repeats_an_agent(asked) && joined(printed).contains(wanted)
}

/// Whether a tool gives back what agents told it. A command is marked with `$`; other tools begin with
/// their name.
fn repeats_an_agent(asked: &str) -> bool {
    let tool = asked.split_whitespace().next().unwrap_or_default().to_lowercase();
    let keeps_memory = tool.starts_with("mcp__") && tool.contains("memory");
    keeps_memory || AGENTS_WORDS.contains(&tool.as_str())
}

/// Whether a quote speaks of what a claim speaks of: they share a number, or a word of some length.
fn bears_on(quote: &str, claim: &str) -> bool {
    let of = |text: &str| -> BTreeSet<String> {
        let tokens = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        tokens
            .filter(|token| {
                let digits = token.chars().any(|c| c.is_ascii_digit());
                digits || token.chars().count() >= SHARED_CHARS_MIN
            })
            .collect()
    };
    !of(quote).is_disjoint(&of(claim))
}

/// Whether every number of a claim stands in the quote: what was measured is what was printed.
fn holds_numbers(quote: &str, claim: &str) -> bool {
    numbers(claim).is_subset(&numbers(quote))
}

/// The numbers of a text, with their fractions, whatever stands around them.
fn numbers(text: &str) -> BTreeSet<String> {
    let chunks = text.split(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',')));
    let plain = chunks.map(|one| one.trim_matches(['.', ',']).replace(',', ""));
    // "12.0" and "12" are one number.
    let plain = plain.map(|one| match one.split_once('.') {
        Some((whole, fraction)) if fraction.chars().all(|c| c == '0') => whole.to_owned(),
        _ => one,
    });
    plain.filter(|one| one.chars().any(|c| c.is_ascii_digit())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_stands_in_what_was_printed_and_not_in_the_command() {
        let result = "$ psql -c 'select version()'\nPostgreSQL   16.2 on\nx86_64";
        assert!(shows(result, "PostgreSQL 16.2 on x86_64"));
        assert!(!shows(result, "select version()"));
        assert!(!shows("$ throughline list\nThe cache holds 512 entries", "The cache holds 512"));
    }

    #[test]
    fn what_an_agent_told_a_tool_is_no_proof_when_the_tool_repeats_it() {
        for tool in ["Task", "TodoWrite", "mcp__memory__read_graph"] {
            assert!(!shows(&format!("{tool}\nThe cache holds 512 entries"), "holds 512 entries"));
        }
        assert!(shows("mcp__postgres__query\nThe cache holds 512 entries", "holds 512 entries"));
    }

    #[test]
    fn every_number_of_a_claim_must_stand_in_the_quote() {
        assert!(holds_numbers("p95 latency: 12.0 ms (n=1,000)", "p95 latency is 12 ms"));
        assert!(!holds_numbers("p95 latency: 48 ms", "p95 latency is 12 ms"));
        assert!(!holds_numbers("decode 31 % faster", "decode is 229 % faster than v2"));
        assert!(holds_numbers("whatever", "no number at all"));
    }

    #[test]
    fn a_quote_about_something_else_proves_nothing() {
        assert!(bears_on("max_connections = 200", "The pool holds 200 connections"));
        assert!(!bears_on("Cargo.toml README.md src", "Deploys need one approval"));
    }
}
