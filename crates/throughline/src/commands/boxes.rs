//! `boxes`: stretches of work on one topic, listed or written as files.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use throughline_core::text::{self, plural};
use throughline_core::{EntityId, Memory, MemoryId};
use throughline_engine::{Error, TopicBox};
use throughline_view::WireBoxes;

use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, ID, Ui, paint, safe};

/// Characters of a line of the core.
const CORE_CHARS: usize = 96;

pub(super) fn boxes(
    args: &args::Boxes,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let found = settings.engine()?.looking(&context).boxes(args.limit)?;
    let files = match &args.write {
        Some(folder) => write_all(folder, &found, settings)?,
        None => Vec::new(),
    };
    ui.answer(&WireBoxes::new(&found, &files), || match &args.write {
        Some(folder) => {
            let written = plural(files.len(), "box");
            paint(GOOD, format!("Wrote {written} to {}", safe(&folder.display().to_string())))
        }
        None => in_words(&found),
    })
}

/// The short name of a box or trace.
fn handle(id: EntityId) -> String {
    MemoryId(id.0).handle()
}

fn in_words(found: &[TopicBox]) -> String {
    if found.is_empty() {
        return paint(DIM, "no boxes yet: `sleep` puts memories into boxes by topic");
    }
    let mut page = String::new();
    for one in found {
        let state = match (&one.sealed, one.trace) {
            (Some(why), Some(trace)) => format!("sealed ({why}), trace {}", handle(trace)),
            _ => "open".to_owned(),
        };
        let when = one.from.date();
        writeln!(
            page,
            "{} {} {} {}",
            paint(ID, handle(one.id)),
            when,
            safe(&one.title),
            paint(DIM, format!("{}, {}", plural(one.memories.len(), "memory"), safe(&state)))
        )
        .expect("writing to a String cannot fail");
        for memory in core(one).skip(1) {
            let says = text::headline(&safe(&memory.content), CORE_CHARS);
            writeln!(page, "         {says}").expect("writing to a String cannot fail");
        }
    }
    page
}

/// The memories that tell most of a box, the most telling first.
fn core(one: &TopicBox) -> impl Iterator<Item = &Memory> {
    one.core.iter().filter_map(|id| one.memories.iter().find(|memory| memory.id == *id))
}

/// Writes every box that is sealed as a file of its own, by the day on which it began.
fn write_all(
    folder: &Path,
    found: &[TopicBox],
    settings: &Settings,
) -> anyhow::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        anyhow::bail!(Error::no_folder_for(&folder.join("boxes"), folder));
    }
    if let (Ok(at), Ok(home)) = (folder.canonicalize(), settings.home.canonicalize())
        && at.starts_with(&home)
    {
        let place = safe(&folder.display().to_string());
        let message = format!("{place} is inside the home folder of Throughline itself");
        anyhow::bail!(Error::NotPossible(message));
    }
    let mut files = Vec::new();
    for one in found.iter().filter(|one| one.trace.is_some()) {
        let day = folder.join("boxes").join(one.from.date());
        std::fs::create_dir_all(&day)
            .with_context(|| format!("cannot make {}", safe(&day.display().to_string())))?;
        let path = day.join(format!("box-{}.md", handle(one.id)));
        let file = tempfile::NamedTempFile::new_in(&day)
            .with_context(|| format!("cannot write to {}", safe(&day.display().to_string())))?;
        std::fs::write(file.path(), as_markdown(one))?;
        file.persist(&path).with_context(|| safe(&path.display().to_string()))?;
        files.push(path);
    }
    Ok(files)
}

fn as_markdown(one: &TopicBox) -> String {
    let trace = one.trace.map(handle).unwrap_or_default();
    let mut page = format!(
        "# {}\n\n- box: {}\n- trace: {trace}\n- from: {}\n- to: {}\n- sealed: {}\n\n",
        safe(&one.title),
        handle(one.id),
        one.from,
        one.to,
        safe(one.sealed.as_deref().unwrap_or_default()),
    );
    for memory in core(one) {
        let says = safe(&memory.content).split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(page, "> {says}").expect("writing to a String cannot fail");
    }
    page.push('\n');
    for memory in &one.memories {
        let says = safe(&memory.content).split_whitespace().collect::<Vec<_>>().join(" ");
        let state =
            if memory.state.is_active() { String::new() } else { format!(", {}", memory.state) };
        writeln!(page, "- [{}] {}{state}: {says}", memory.id.handle(), memory.kind)
            .expect("writing to a String cannot fail");
    }
    page
}
