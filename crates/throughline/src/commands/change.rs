//! The commands that change one memory: edit, confirm, supersede, link, tag, pin, archive, forget,
//! purge.

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::bail;
use throughline_core::{Relation, text};
use throughline_engine::{Edits, Error, Purged};
use throughline_view::{WireEdited, WirePurged, changed};

use super::{answer_memory, answer_put, text_or_stdin};
use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, ID, Ui, WARN, paint, safe};
use crate::view;

pub(super) fn edit(
    args: &args::Edit,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let edits = Edits {
        content: (!args.text.is_empty()).then(|| text_or_stdin(&args.text)).transpose()?,
        kind: args.kind,
        label: args.label.clone(),
        domain: args.domain.clone(),
        importance: args.importance,
        slot: args.slot.clone(),
        valid_from: settings.moment(args.valid_from.as_deref())?,
        valid_until: settings.moment(args.valid_until.as_deref())?,
        triggers: Some(args.triggers.clone()).filter(|triggers| !triggers.is_empty()),
    };
    let (engine, context) = (settings.engine()?, settings.context()?);
    let before = engine.looking(&context).show(&*engine.now_reader()?, &args.id)?;
    let card = engine.keeping(&context).edit(&args.id, &edits)?;
    let changed = changed(&before, &card);
    let wire = WireEdited { memory: (&card).into(), changed };
    ui.answer(&wire, || {
        let done = if wire.changed.is_empty() { "Nothing changed" } else { "Edited" };
        let mut page = format!("{}\n{}", paint(GOOD, done), view::brief(&card));
        for one in &wire.changed {
            let [before, after] = [&one.before, &one.after].map(|text| match text.as_str() {
                "" => "nothing".to_owned(),
                text => format!("“{}”", text::headline(&safe(text), TURN_CHARS)),
            });
            let line = format!("\n          {}: {before} → {after}", one.field);
            page.push_str(&line);
        }
        page
    })
}

pub(super) fn confirm(id: &str, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let card = settings.engine()?.keeping(&settings.context()?).confirm(id)?;
    answer_memory(ui, "Confirmed", &card)
}

pub(super) fn supersede(
    args: &args::Supersede,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let put = settings.engine()?.keeping(&settings.context()?).supersede(&args.old, &args.new)?;
    answer_put(ui, "Now current", &put)
}

pub(super) fn unsupersede(id: &str, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let card = settings.engine()?.keeping(&settings.context()?).unsupersede(id)?;
    answer_memory(ui, "Current again", &card)
}

pub(super) fn contradict(
    args: &args::Pair,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let card =
        settings.engine()?.keeping(&context).link(&args.a, Relation::Contradicts, &args.b, None)?;
    answer_memory(ui, "Marked as contradicting", &card)
}

pub(super) fn link(
    args: &args::Link,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (context, reason) = (settings.context()?, args.reason.as_deref());
    let card =
        settings.engine()?.keeping(&context).link(&args.from, args.relation, &args.to, reason)?;
    answer_memory(ui, "Linked", &card)
}

pub(super) fn unlink(
    args: &args::Unlink,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (context, reason) = (settings.context()?, args.reason.as_deref());
    let card =
        settings.engine()?.keeping(&context).unlink(&args.from, args.relation, &args.to, reason)?;
    answer_memory(ui, "Unlinked", &card)
}

pub(super) fn tag(args: &args::Tag, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    if args.add.is_empty() && args.remove.is_empty() {
        bail!(Error::BadInput("name a tag to add, or one to --remove".to_owned()));
    }
    let card =
        settings.engine()?.keeping(&settings.context()?).tag(&args.id, &args.add, &args.remove)?;
    answer_memory(ui, "Tagged", &card)
}

pub(super) fn pin(args: &args::Pin, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let card = settings.engine()?.keeping(&settings.context()?).pin(&args.id, !args.off)?;
    answer_memory(ui, if args.off { "Unpinned" } else { "Pinned" }, &card)
}

pub(super) fn archive(
    args: &args::Retire,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let reason = args.reason.as_deref();
    let put = settings.engine()?.keeping(&settings.context()?).archive(&args.id, reason)?;
    answer_put(ui, "Archived", &put)
}

pub(super) fn done(id: &str, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let card = settings.engine()?.keeping(&settings.context()?).done(id)?;
    answer_memory(ui, "Done", &card)
}

pub(super) fn unarchive(id: &str, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let card = settings.engine()?.keeping(&settings.context()?).unarchive(id)?;
    answer_memory(ui, "No longer archived", &card)
}

pub(super) fn forget(
    args: &args::Retire,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let reason = args.reason.as_deref();
    let put = settings.engine()?.keeping(&settings.context()?).forget(&args.id, reason)?;
    answer_put(ui, "Forgotten (undo brings it back; purge erases)", &put)
}

/// Turns that are shown before they are erased.
const TURNS_SHOWN: usize = 5;
/// Characters of each.
const TURN_CHARS: usize = 100;

pub(super) fn purge(
    args: &args::Purge,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    if !args.yes {
        let mut question = "Erase for good:\n".to_owned();
        {
            let reader = engine.now_reader()?;
            let erase = engine.erasing().to_erase(&*reader, &context, &args.ids, args.chain)?;
            for memory in &erase.memories {
                let handle = view::handle(memory);
                writeln!(question, "{handle}  {}", safe(&memory.content))?;
            }
            if !erase.turns.is_empty() {
                writeln!(question, "and the turns it came from:")?;
            }
            for turn in erase.turns.iter().take(TURNS_SHOWN) {
                let handle = paint(ID, turn.id.handle());
                let said = text::headline(&turn.text, TURN_CHARS);
                writeln!(question, "{handle}  {}: {}", safe(&turn.speaker), safe(&said))?;
            }
            if let Some(more @ 1..) = erase.turns.len().checked_sub(TURNS_SHOWN) {
                writeln!(question, "and {more} more")?;
            }
        }
        match ui.ask(&format!("{question}This cannot be undone. Erase?"))? {
            Some(true) => {}
            Some(false) => {
                return ui.answer(&WirePurged::from(&Purged::default()), || {
                    paint(DIM, "Nothing was erased")
                });
            }
            None => bail!(Error::BadInput(
                "purge asks for confirmation; without a terminal, add --yes".to_owned()
            )),
        }
    }
    let purged = engine.erasing().purge(&context, &args.ids, args.chain)?;
    ui.answer(&WirePurged::from(&purged), || in_words(&purged))
}

/// Where an agent may have said it in words of its own, which nobody recognises, and how to look.
fn left_in_sessions(purged: &Purged) -> String {
    const SHOWN: usize = 3;
    let named: Vec<String> =
        purged.sessions.iter().take(SHOWN).map(|session| safe(&session.to_string())).collect();
    let more = purged.sessions.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!(
        "what an agent said about it in other words is not recognised and may be left: in its answers \
         of {} {}{more} (`throughline search WORDS` finds turns, `throughline purge TURN` erases one), \
         and in the agent's own transcripts, which are not ours",
        if purged.sessions.len() == 1 { "session" } else { "sessions" },
        named.join(", "),
    )
}

fn in_words(purged: &Purged) -> String {
    let count = text::plural(purged.tombstones.len(), "memory");
    let mut page = paint(GOOD, format!("Erased {count}"));
    let mut note = |style, text: String| {
        write!(page, "\n  {}", paint(style, text)).expect("writing to a String cannot fail");
    };
    match (purged.episodes, purged.journal_lines) {
        (0, 0) => {}
        (turns, lines) => {
            let mut said = format!("and the turns it came from: {}", text::plural(turns, "turn"));
            if lines > 0 {
                said.push_str(&format!(", {} in journals", text::plural(lines, "line")));
            }
            note(DIM, said);
        }
    }
    if purged.pending {
        let text = "another process still has the database open; the next write after it ends \
            removes the last traces";
        note(WARN, text.to_owned());
    }
    for copy in &purged.copies_left {
        note(
            WARN,
            format!(
                "{} could not be opened and may still contain it",
                safe(&copy.display().to_string())
            ),
        );
    }
    for file in &purged.lines_removed {
        note(DIM, format!("its line was taken out of {}", safe(file)));
    }
    for file in &purged.files_left {
        let file = safe(file);
        note(
            WARN,
            format!("{file} still says it: take the line out by hand; it is not read in again"),
        );
    }
    if !purged.sessions.is_empty() {
        note(WARN, left_in_sessions(purged));
    }
    for file in &purged.overwritten {
        let file = safe(&file.display().to_string());
        note(DIM, format!("{file} is damaged; the words were overwritten in it"));
    }
    for memory in &purged.related {
        let handle = paint(ID, memory.id.handle());
        note(WARN, format!("{handle} is another version and still there (--chain erases all)"));
    }
    note(DIM, "exports and backups stored elsewhere are not changed".to_owned());
    page
}
