//! `why`, `history`, `log`, `undo`: where things come from, and the way back.

mod changes;

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::{Change, Memory, text};
use throughline_engine::{Error, Reason, Reverted, StoredBatch, Version};
use throughline_view::{WireBatch, WireHistory, WireLog, WireUndone, WireVersion, WireWhy};

use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, ID, Ui, WARN, paint, safe};
use crate::view;
use changes::{change_words, short};

pub(super) fn why(
    args: &args::Meant,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let id = &super::meant::id(args, &engine, &*engine.now_reader()?, &context)?;
    let why = match engine.looking(&context).why(id) {
        // What is no memory may be a turn.
        Err(error @ Error::NotFound { .. }) => {
            let found = engine.looking(&context).turn(&*engine.now_reader()?, id)?;
            let (turn, memories) = found.ok_or(error)?;
            return super::turn::why(&engine, &context, &turn, &memories, ui);
        }
        found => found?,
    };
    ui.answer(&WireWhy::from(&why), || {
        let mut page = format!("{}\n", paint(BOLD, safe(&why.card.memory.content)));
        page.push_str(&format!("{}\n", view::notes(&why.card)));
        branches(&mut page, &why.because, "");
        let mut line = |name: &str, value: String| {
            writeln!(page, "{}  {value}", paint(DIM, format!("{name:>9}")))
                .expect("writing to a String cannot fail");
        };
        line("trust", view::trust_line(&why.card));
        for one in &why.card.reopened_by {
            line("reopen", view::shaken_line(one));
        }
        for mark in &why.card.watermarks {
            line("tied to", view::watermark_line(mark));
        }
        for one in &why.card.evidence {
            line("evidence", view::evidence_line(one));
        }
        why.noticed.iter().for_each(|one| line("noticed", super::noticed::line(one)));
        for memory in &why.supports {
            line("supports", format!("{} {}", view::handle(memory), short(&memory.content)));
        }
        for one in &why.injected {
            line("shown", format!("{} ({})", one.at, text::plural(one.tokens, "token")));
        }
        page
    })
}

/// The reasons as a tree.
fn branches(page: &mut String, reasons: &[Reason], indent: &str) {
    for (at, reason) in reasons.iter().enumerate() {
        let last = at + 1 == reasons.len();
        let (fork, next) = if last { ("└─", "   ") } else { ("├─", "│  ") };
        let state = if reason.memory.state.is_active() {
            String::new()
        } else {
            paint(WARN, format!(" ({})", reason.memory.state))
        };
        let again = if reason.repeated { " …" } else { "" };
        writeln!(
            page,
            "{indent}{fork} {} {} {}{state}{again}",
            paint(DIM, reason.relation),
            view::handle(&reason.memory),
            short(&reason.memory.content)
        )
        .expect("writing to a String cannot fail");
        branches(page, &reason.because, &format!("{indent}{next}"));
    }
}

pub(super) fn history(
    args: &args::Meant,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let id = super::meant::id(args, &engine, &*engine.now_reader()?, &context)?;
    let (_, versions) = engine.looking(&context).history(&id)?;
    let wire = WireHistory { versions: versions.iter().map(WireVersion::from).collect() };
    ui.answer(&wire, || {
        let telling: Vec<String> =
            versions.iter().filter(|one| is_telling(one, &versions)).map(version_line).collect();
        telling.join("\n")
    })
}

/// What a person wants to read: not the evidence that comes with every new memory, not its labels.
fn is_telling(version: &Version, all: &[Version]) -> bool {
    let made_in_this_batch = |id| {
        all.iter().any(|other| {
            other.batch.batch.id == version.batch.batch.id
                && matches!(&other.change, Change::Insert(memory) if memory.id == id)
        })
    };
    if let Change::Reinforce(evidence) = &version.change {
        !made_in_this_batch(evidence.memory)
    } else if let Change::Link(edge) = &version.change {
        edge.to.memory().is_some()
    } else {
        true
    }
}

fn version_line(version: &Version) -> String {
    let batch = &version.batch.batch;
    let mut line = format!(
        "{}  {:<11} {}",
        paint(DIM, time(version.at)),
        batch.cause,
        change_words(&version.change, version.before.as_ref(), version.after.as_ref())
    );
    if let Some(reason) = &batch.reason {
        write!(line, " {}", paint(DIM, format!("({})", safe(reason))))
            .expect("writing to a String cannot fail");
    }
    line
}

pub(super) fn time(at: throughline_core::Timestamp) -> String {
    at.to_string()[..19].replace('T', " ")
}

pub(super) fn log(args: &args::Log, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let since = settings.moment(args.since.as_deref())?;
    let engine = settings.engine()?;
    let batches = engine.looking(&settings.context()?).log(since, args.limit)?;
    let ids: Vec<_> = batches.iter().map(|stored| stored.batch.id).collect();
    let people = engine.now_reader()?.authors(&ids)?;
    let told = || batches.iter().zip(people.iter().map(Option::as_ref));
    let wire =
        WireLog { batches: told().map(|(one, person)| WireBatch::by(one, person)).collect() };
    ui.answer(&wire, || {
        if batches.is_empty() {
            let since =
                if since.is_some() { "nothing happened since" } else { "nothing happened yet" };
            return paint(DIM, since);
        }
        let lines = told().map(|(one, person)| batch_lines(one, person));
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// Changes of one batch shown at most.
const SHOWN: usize = 6;

fn batch_lines(stored: &StoredBatch, person: Option<&String>) -> String {
    let batch = &stored.batch;
    let handle = paint(ID, batch.id.handle());
    let mut page =
        format!("{handle}  {}  {} by {}", time(batch.at), paint(BOLD, batch.cause), batch.actor);
    if let Some(person) = person {
        page.push_str(&format!(" {}", safe(person)));
    }
    if let Some(reason) = &batch.reason {
        page.push_str(&format!(" ({})", safe(reason)));
    }
    for change in batch.changes.iter().take(SHOWN) {
        write!(page, "\n          {}", change_words(change, None, None))
            .expect("writing to a String cannot fail");
    }
    if batch.changes.len() > SHOWN {
        let more = text::plural(batch.changes.len() - SHOWN, "more change");
        let more = format!("… and {more}");
        write!(page, "\n          {}", paint(DIM, more)).expect("writing to a String cannot fail");
    }
    page
}

/// What an undo did to a memory, in words.
fn reverted_words(one: &Reverted) -> Option<String> {
    let told = |memory: &Memory| {
        let says = text::headline(&safe(&memory.content), SAID_CHARS);
        format!("{} “{says}”", paint(ID, memory.id.handle()))
    };
    Some(match (&one.before, &one.after) {
        (Some(before), None) => format!("{} is no longer remembered", told(before)),
        (None, Some(after)) => format!("{} is remembered again", told(after)),
        (Some(before), Some(after)) if before.content != after.content => {
            let says = text::headline(&safe(&before.content), SAID_CHARS);
            format!("{} is current again instead of “{says}”", told(after))
        }
        (Some(before), Some(after)) if before.state != after.state => {
            format!("{} is {} again, not {}", told(after), after.state, before.state)
        }
        (Some(_), Some(after)) => format!("{} is as it was", told(after)),
        (None, None) => return None,
    })
}

/// Characters that are shown of a memory that an undo touched.
const SAID_CHARS: usize = 80;

pub(super) fn undo(
    args: &args::Undo,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let undone = settings.engine()?.keeping(&settings.context()?).undo(args.batch.as_deref())?;
    ui.answer(&WireUndone::from(&undone), || {
        let redo = format!("`undo {}` reverts this", undone.batch.handle());
        let mut page = format!("{}\n{}", paint(GOOD, "Undone"), batch_lines(&undone.undone, None));
        for line in undone.reverted.iter().take(SHOWN).filter_map(reverted_words) {
            write!(page, "\n  {line}").expect("writing to a String cannot fail");
        }
        for line in &undone.files {
            write!(page, "\n  {}", safe(line)).expect("writing to a String cannot fail");
        }
        format!("{page}\n{}", paint(DIM, redo))
    })
}
