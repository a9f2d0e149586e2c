//! Telling: events as turns, in the words that are kept of them.

use serde::{Deserialize, Serialize};
use throughline_core::Speaker;
use throughline_core::event::{Event, ToolRun, What};
use throughline_core::{Timestamp, text};
use throughline_language::Turn;

use crate::journal::JournalEntry;

/// Characters that are kept of one turn.
const TURN_CHARS: usize = 16_000;

/// One turn, as it was captured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Captured {
    /// When.
    pub at: Timestamp,
    /// Who.
    #[serde(rename = "voice")]
    pub speaker: Speaker,
    /// What, in the words that are kept.
    pub text: String,
    /// The tool that ran, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<ToolRun>,
    /// The agent's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

impl Captured {
    /// Somebody's words.
    pub fn said(at: Timestamp, speaker: Speaker, said: &str) -> Self {
        Self { at, speaker, text: text::cut(said, TURN_CHARS).to_owned(), run: None, id: None }
    }

    /// A tool's.
    pub fn ran(at: Timestamp, run: &ToolRun) -> Self {
        let text = told(run);
        let id = run.call.id.clone();
        Self { at, speaker: Speaker::Tool, text, run: Some(run.clone()), id }
    }

    /// The same as it is judged and read, without what a reader made of it.
    pub(crate) fn as_turn(&self) -> Turn<'_> {
        let (speaker, run) = (self.speaker, self.run.as_ref());
        Turn { speaker, text: &self.text, run, at: self.at, pieces: None }
    }
}

/// The turns that a journal's entry holds.
pub(super) fn turns_in(entry: &JournalEntry) -> Vec<Captured> {
    turns_of(&entry.event, entry.at)
}

/// The turns that an event holds.
pub fn turns_of(event: &Event, at: Timestamp) -> Vec<Captured> {
    match &event.what {
        What::Prompted { text } => vec![Captured::said(at, Speaker::User, text)],
        // What a helper is asked its agent says, and never the user.
        What::Answered { text: Some(text) }
        | What::HelperAsked { text, .. }
        | What::HelperStarts { task: Some(text), .. }
        | What::HelperAnswered { text: Some(text) } => {
            vec![Captured::said(at, Speaker::Assistant, text)]
        }
        What::ToolsRan(runs) => runs.iter().map(|run| Captured::ran(at, run)).collect(),
        What::Started(_)
        | What::ToolStarts(_)
        | What::Compacting
        | What::Compacted { .. }
        | What::Answered { text: None }
        | What::HelperStarts { task: None, .. }
        | What::HelperAnswered { text: None }
        | What::Ended
        | What::Nothing { .. } => Vec::new(),
    }
}

/// A tool's run in words: what was asked, whether it failed, what came of it.
fn told(run: &ToolRun) -> String {
    let call = &run.call;
    let mut told = match (&call.command, call.files.as_slice()) {
        // On one line: what follows the first is what the tool printed.
        (Some(command), _) => format!("$ {}", command.trim().replace('\n', "; ")),
        (None, []) => call.tool.clone(),
        (None, files) => format!("{} {}", call.tool, files.join(" ")),
    };
    match (run.failed, run.exit) {
        (_, Some(exit)) if exit != 0 => told.push_str(&format!("\n(failed, exit code {exit})")),
        (true, _) => told.push_str("\n(failed)"),
        (false, _) => {}
    }
    let output = run.output.trim();
    if !output.is_empty() {
        told.push('\n');
        told.push_str(output);
    }
    text::cut(&told, TURN_CHARS).to_owned()
}
