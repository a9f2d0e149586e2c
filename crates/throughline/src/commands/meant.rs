//! Which memory a reader means: an id, or words that stand in one memory only.

use std::collections::HashSet;

use throughline_core::{text, words};
use throughline_engine::{Card, Context, Engine, Error, Filter, Reader};

use crate::args::{self, Meant};

/// Memories that are looked at for the words.
const LOOKED_AT: usize = 50;

/// Candidates that are named where the words fit several.
const NAMED: usize = 5;

/// Characters of a candidate's text.
const CANDIDATE_CHARS: usize = 60;

/// What the engine is asked for: the id as it was written, or that of the memory with these words.
///
/// Only for commands that read: what changes a memory takes its id.
pub(super) fn id(
    meant: &Meant,
    engine: &Engine,
    reader: &dyn Reader,
    context: &Context,
) -> anyhow::Result<String> {
    let said = args::joined(&meant.words);
    let terms = words::query_terms(&said);
    if is_id(&said) || terms.is_empty() {
        return Ok(said);
    }
    let filter = Filter { limit: Some(LOOKED_AT), ..Filter::default() };
    let mut found = engine.looking(context).search(reader, &said, &filter)?.items;
    found.retain(|card| holds_all(card, &terms));
    match found.as_slice() {
        [one] => Ok(one.memory.id.to_string()),
        // One word that is in no memory was meant as an id.
        [] if meant.words.len() == 1 && !said.contains(char::is_whitespace) => Ok(said),
        [] => Err(Error::BadInput(format!(
            "{said:?} is not an id, and no current memory contains all of these words"
        ))
        .into()),
        several => Err(Error::Ambiguous {
            what: "memory",
            handle: format!("“{said}”"),
            found: several.len(),
            candidates: several.iter().take(NAMED).map(candidate).collect(),
        }
        .into()),
    }
}

/// Whether a text is written like an id: six or more letters a-f, digits and dashes.
fn is_id(said: &str) -> bool {
    let said = said.trim().trim_start_matches('#');
    said.len() >= 6 && said.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

fn holds_all(card: &Card, wanted: &[String]) -> bool {
    let memory = &card.memory;
    let label = memory.label.as_deref().unwrap_or_default();
    let tags = card.tags.join(" ");
    let held: HashSet<String> =
        words::terms(&format!("{} {label} {tags}", memory.content)).into_iter().collect();
    wanted.iter().all(|term| held.contains(term))
}

fn candidate(card: &Card) -> String {
    let content = text::headline(&card.memory.content, CANDIDATE_CHARS);
    format!("{} “{content}”", card.memory.id.handle())
}
