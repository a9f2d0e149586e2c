//! Export: the whole change log as lines of JSON, or what is currently held as Markdown.

use std::fmt::Write as _;
use std::io::Write;

use throughline_core::{Layer, State, text};
use throughline_store::LogQuery;

use crate::flows::Copying;
use crate::{Card, Error, Result};

/// The first line of an export.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) version: u32,
    /// The mark of the home that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) home: Option<String>,
}

pub(crate) const FORMAT: &str = "throughline-log";
pub(crate) const VERSION: u32 = 1;

/// Batches read at a time, so that an export of any size needs little memory.
const PAGE: usize = 500;

impl Copying<'_> {
    /// Writes every batch of the log, one line each, in order. The same memory always gives the
    /// same bytes. Returns how many batches were written; `progress` hears of each page.
    pub fn export_log(
        &self,
        out: &mut dyn Write,
        progress: &mut dyn FnMut(usize),
    ) -> Result<usize> {
        let home = Some(self.mark());
        let header = Header { format: FORMAT.to_owned(), version: VERSION, home };
        write_line(out, &header)?;
        let reader = self.engine.now_reader()?;
        let (mut after_seq, mut written) = (0, 0);
        loop {
            let page = reader.log(&LogQuery { after_seq, limit: PAGE, ..LogQuery::default() })?;
            let Some(last) = page.last() else {
                return Ok(written);
            };
            after_seq = last.last_seq;
            for stored in &page {
                write_line(out, &stored.batch)?;
            }
            written += page.len();
            progress(written);
        }
    }
}

fn write_line(out: &mut dyn Write, value: &impl serde::Serialize) -> Result<()> {
    let line = text::printable_json(&serde_json::to_string(value).expect("plain data serialises"));
    writeln!(out, "{line}").map_err(|source| Error::File { path: "the export".into(), source })
}

/// What is held, readable: one section for each layer, one line for each memory.
pub fn export_markdown(title: &str, cards: &[Card]) -> String {
    let mut page = format!("# {}\n", text::printable(title));
    for layer in Layer::ALL {
        let mut section = String::new();
        for card in cards.iter().filter(|card| card.memory.layer() == *layer) {
            markdown_item(&mut section, card);
        }
        if !section.is_empty() {
            write!(page, "\n## {}\n\n{section}", heading(*layer))
                .expect("writing to a String cannot fail");
        }
    }
    page
}

fn heading(layer: Layer) -> &'static str {
    match layer {
        Layer::Invariant => "Invariants",
        Layer::Working => "State of play",
        Layer::Episodic => "Events",
        Layer::Decision => "Decisions",
        Layer::Negative => "What failed",
        Layer::Lesson => "Lessons",
    }
}

fn markdown_item(section: &mut String, card: &Card) {
    let memory = &card.memory;
    let content = text::printable(&memory.content).replace('\n', "\n  ");
    let mut notes = vec![
        memory.kind.to_string(),
        memory.recorded_at.date(),
        memory.authority.to_string(),
        format!("trust {:.2}", card.trust.value()),
    ];
    if memory.state != State::Confirmed {
        notes.push(memory.state.to_string());
    }
    notes.extend(card.tags.iter().map(|tag| format!("#{}", text::printable(tag))));
    writeln!(section, "- {content}\n  *{} · `{}`*", notes.join(" · "), memory.id.handle())
        .expect("writing to a String cannot fail");
}
