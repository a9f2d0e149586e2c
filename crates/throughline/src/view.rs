//! How memories look to people.

mod procedure;

use std::fmt::Write as _;

use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};
use throughline_core::state::Flag;
use throughline_core::{Memory, State, text};
use throughline_engine::{Card, Shaken};

use crate::ui::{BOLD, DIM, ID, WARN, paint, safe, width};
use throughline_view::{files_of, procedure_told, signal_of};

/// A memory's short id, painted.
pub(crate) fn handle(memory: &Memory) -> String {
    paint(ID, memory.id.handle())
}

/// One line: what, when, who, how true.
pub(crate) fn notes(card: &Card) -> String {
    let memory = &card.memory;
    let mut notes = vec![
        memory.kind.to_string(),
        memory.recorded_at.date(),
        memory.authority.to_string(),
        format!("trust {:.2}", card.trust.value()),
    ];
    if !matches!(memory.state, State::Confirmed) {
        notes.push(memory.state.to_string());
    }
    notes.extend(card.flags.iter().map(|flag| flag.to_string()));
    notes.extend(card.tags.iter().map(|tag| format!("#{}", safe(tag))));
    paint(DIM, notes.join(" · "))
}

/// A memory in a few lines: its id, its text, its notes.
pub(crate) fn brief(card: &Card) -> String {
    let content = safe(&card.memory.content).replace('\n', "\n          ");
    format!("{}  {content}\n          {}", handle(&card.memory), notes(card))
}

/// A memory in one line: its id, its kind and the beginning of its text.
pub(crate) fn line(card: &Card) -> String {
    let memory = &card.memory;
    let content = text::headline(&safe(&memory.content), LINE_CHARS);
    format!("{}  {:<10}  {content}", handle(memory), memory.kind.to_string())
}

/// Characters of a text that is told in one line.
const LINE_CHARS: usize = 120;

/// Below this many columns a table would leave too little room for what a memory says.
const TABLE_COLUMNS: u16 = 110;

/// Memories, one below the other: a table where there is room for one.
pub(crate) fn table(cards: &[Card], total: usize, offset: usize) -> String {
    if cards.is_empty() {
        return paint(DIM, "nothing found");
    }
    let narrow = width().is_some_and(|columns| columns < TABLE_COLUMNS);
    let mut page = if narrow {
        cards.iter().map(in_two_lines).collect::<Vec<_>>().join("\n")
    } else {
        rows(cards)
    };
    if total > offset + cards.len() {
        let more = total - offset - cards.len();
        write!(page, "\n{}", paint(DIM, format!("… and {more} more (--limit, --offset)")))
            .expect("writing to a String cannot fail");
    }
    page
}

/// What a table has in one row: the text first, the rest below it.
fn in_two_lines(card: &Card) -> String {
    let memory = &card.memory;
    let notes = [
        memory.kind.to_string(),
        state_with_flags(card),
        format!("trust {:.2}", card.trust.value()),
        memory.recorded_at.date(),
    ];
    let content = text::headline(&safe(&memory.content), 200);
    format!("{}  {content}\n          {}", handle(memory), paint(DIM, notes.join(" · ")))
}

fn rows(cards: &[Card]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    if let Some(width) = width() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    }
    table.set_header(["ID", "KIND", "STATE", "TRUST", "WHEN", "WHAT"]);
    for card in cards {
        let memory = &card.memory;
        table.add_row([
            memory.id.handle(),
            memory.kind.to_string(),
            state_with_flags(card),
            format!("{:.2}", card.trust.value()),
            memory.recorded_at.date(),
            text::headline(&safe(&memory.content), 200),
        ]);
    }
    for column in 0..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(6)));
        }
    }
    table.trim_fmt()
}

fn state_with_flags(card: &Card) -> String {
    let telling = [Flag::Contested, Flag::Stale, Flag::Pinned];
    let flags = card.flags.iter().filter(|flag| telling.contains(flag));
    flags.fold(card.memory.state.to_string(), |text, flag| format!("{text}, {flag}"))
}

/// What a memory says and its notes; of a procedure its name and its steps.
fn head(card: &Card) -> String {
    let memory = &card.memory;
    let Some(steps) = procedure_told(memory) else {
        return format!("{}\n{}\n", paint(BOLD, safe(&memory.content)), notes(card));
    };
    let name = paint(BOLD, safe(&steps.name));
    let mut head = format!("{name}\n{}\n{}", notes(card), procedure::page(&steps));
    if steps.write() != memory.content {
        writeln!(head, "{}  {}", paint(DIM, "     as said"), safe(&memory.content))
            .expect("writing to a String cannot fail");
    }
    head
}

/// Everything about a memory, a line for each thing worth a line.
pub(crate) fn page(card: &Card) -> String {
    let memory = &card.memory;
    let mut page = head(card);
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            writeln!(page, "{}  {value}", paint(DIM, format!("{name:>12}")))
                .expect("writing to a String cannot fail");
        }
    };
    line("id", memory.id.to_string());
    line(
        "scope",
        match &card.project {
            Some(project) => format!("{} ({})", card.level, safe(project)),
            None => card.level.to_string(),
        },
    );
    line("label", memory.label.as_deref().map(safe).unwrap_or_default());
    line("domain", memory.domain.as_deref().map(safe).unwrap_or_default());
    if let Some(slot) = &memory.slot {
        let parts = [&slot.subject, &slot.predicate, &slot.object].map(|part| safe(part));
        line("slot", format!("{} ({})", parts.join(" | "), slot.cardinality));
    }
    line("layer", format!("{} · {}", memory.layer(), card.form));
    line("trust", trust_line(card));
    line(
        "salience",
        format!(
            "{:.2} · importance {:.2} · used {}",
            card.salience.value,
            memory.importance,
            text::plural(card.usage.uses, "time")
        ),
    );
    line("recorded", memory.recorded_at.to_string());
    line("true from", memory.valid_from.map(|at| at.to_string()).unwrap_or_default());
    line("true until", memory.held_until().map(|at| at.to_string()).unwrap_or_default());
    for (name, value) in stands(card) {
        line(name, value);
    }
    line("verified", memory.last_verified_at.map(|at| at.to_string()).unwrap_or_default());
    line("replaced by", memory.superseded_by.map(|id| paint(ID, id.handle())).unwrap_or_default());
    for id in &card.supersedes {
        line("replaces", paint(ID, id.handle()));
    }
    for id in &card.contested_by {
        let by = card.contesting(*id).map(|by| format!(" ({})", safe(&by))).unwrap_or_default();
        line("contested by", paint(WARN, format!("{}{by}", id.handle())));
    }
    if let Some(later) = &card.later {
        let handle = crate::commands::recall_handle(later.node);
        line("later said", paint(WARN, format!("{} ({handle})", safe(&later.words))));
    }
    for one in &card.reopened_by {
        line("open again", shaken_line(one));
    }
    for mark in &card.watermarks {
        line("tied to", watermark_line(mark));
    }
    line(
        "names",
        memory
            .unresolved
            .as_ref()
            .map(|path| format!("{}, which does not exist", safe(path)))
            .unwrap_or_default(),
    );
    for one in &card.evidence {
        line("evidence", evidence_line(one));
    }
    page
}

/// How a memory stands beside its state: what it answers, promised for when, done, in which tier, in which file.
fn stands(card: &Card) -> [(&'static str, String); 5] {
    let cold = if card.memory.cold { "cold: found by its words only" } else { "" };
    [
        ("answers", card.memory.answers.as_deref().map(safe).unwrap_or_default()),
        ("due", card.due.map(|at| at.date()).unwrap_or_default()),
        ("done", card.memory.done_at.map(|at| at.to_string()).unwrap_or_default()),
        ("tier", cold.to_owned()),
        ("file", card.in_file.as_deref().map(safe).unwrap_or_default()),
    ]
}

/// Trust and what it is made of.
pub(crate) fn trust_line(card: &Card) -> String {
    let trust = card.trust;
    format!(
        "{:.2} = evidence {:.2} × freshness {:.2} × agreement {:.2}",
        trust.value(),
        trust.support,
        trust.watermark,
        trust.contest
    )
}

/// A reason of a decision that no longer holds as it did.
pub(crate) fn shaken_line(one: &Shaken) -> String {
    let title = text::headline(&safe(&one.title), 80);
    format!("{} “{title}” {}", paint(ID, one.reason.handle()), paint(WARN, one.how))
}

/// What a memory is tied to, and what became of it.
pub(crate) fn watermark_line(mark: &throughline_core::Watermark) -> String {
    let mut parts = vec![safe(&mark.referent.to_string()), mark.reading.to_string()];
    parts.push(format!("× {:.2}", mark.reading.factor()));
    if !mark.then.is_empty() {
        parts.push(format!("{} on {}", safe(&mark.then), mark.stamped_at.date()));
    }
    if !mark.now.is_empty() {
        parts.push(format!("now {}", safe(&mark.now)));
    }
    parts.join(" · ")
}

pub(crate) fn evidence_line(one: &throughline_core::Evidence) -> String {
    let by = one.person.as_ref().map(|person| format!(" ({})", safe(person))).unwrap_or_default();
    let mut parts = vec![format!("{}{by}", one.authority), one.at.to_string()];
    parts.extend(one.session.iter().map(|session| format!("session {}", safe(&session.0))));
    parts.extend(one.why.iter().map(|why| safe(why)));
    parts.extend(one.snippet.iter().map(|said| format!("“{}”", text::headline(&safe(said), 80))));
    parts.extend(signal_of(one).map(|signal| format!("noticed by {}", safe(signal))));
    let files = files_of(one);
    if !files.is_empty() {
        parts.push(format!("files {}", safe(&files.join(", "))));
    }
    if one.echo {
        parts.push("repeats what we told the agent: not counted".to_owned());
    }
    parts.join(" · ")
}
