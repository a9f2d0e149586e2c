//! `verify`: what moved is checked.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::SessionId;
use throughline_engine::{Context, Showed, ToCheck, Verified, Woken};
use throughline_view::{WireVerified, WireVerify};

use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, ID, Ui, WARN, paint, safe};
use crate::view;

/// Memories to check that are listed at most.
const LISTED: usize = 100;

pub(super) fn verify(
    args: &args::Verify,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    if let Some(id) = &args.id {
        // What its tools showed counts for the session that an agent's shell belongs to.
        let shell = settings.environment.shell.as_ref();
        let session = shell.and_then(|shell| shell.session.clone()).map(SessionId);
        let context = Context { session: context.session.clone().or(session), ..context };
        let showed = if args.confirmed { Showed::Confirmed } else { Showed::Refuted };
        let verified = engine.watching(&context).verify(id, showed, args.evidence.as_deref())?;
        return answer_verified(ui, showed, &verified);
    }
    let woken = if args.list {
        engine.watching(&context).last_look()?
    } else {
        engine.watching(&context).wake()?
    };
    let queue = engine.watching(&context).to_check(LISTED)?;
    ui.answer(&WireVerify::new(&woken, &queue), || page(&woken, &queue))
}

fn page(woken: &Woken, queue: &[ToCheck]) -> String {
    let mut page = String::new();
    let (moved, missing) = (woken.moved.len(), woken.missing.len());
    let unknown = woken.unknown.len();
    let line = match woken.checked {
        0 => "no memory of this project is tied to a file, path or value".to_owned(),
        n => format!(
            "{n} checked: {} unchanged, {moved} changed, {missing} missing, {unknown} could not \
             be checked",
            woken.unchanged
        ),
    };
    writeln!(page, "{}", paint(DIM, line)).expect("writing to a String cannot fail");
    for one in queue {
        writeln!(page, "{}", in_lines(one)).expect("writing to a String cannot fail");
    }
    if queue.is_empty() {
        writeln!(page, "{}", paint(GOOD, "nothing to check"))
            .expect("writing to a String cannot fail");
    }
    page
}

/// A memory to check, for people.
pub(super) fn in_lines(one: &ToCheck) -> String {
    let handle = one.card.memory.id.handle();
    let ways = format!("verify {handle} --confirmed, or --refuted");
    format!("{}  {}\n          {}", paint(ID, &handle), safe(&one.message), paint(DIM, ways))
}

fn answer_verified(ui: &mut Ui, showed: Showed, verified: &Verified) -> anyhow::Result<ExitCode> {
    let done = match showed {
        Showed::Confirmed => "It still holds; recorded as it is now",
        Showed::Refuted if verified.waits => {
            "Not done: only the user can retract what the user said. It waits in `review`"
        }
        Showed::Refuted => "Retracted",
    };
    let style = if verified.waits { WARN } else { GOOD };
    let said = ui.answer(&WireVerified::new(showed, verified), || {
        let mut page = format!("{}\n{}", paint(style, done), view::brief(&verified.card));
        if let Some(lesson) = &verified.lesson {
            write!(page, "\n          lesson kept: {}", paint(ID, lesson.handle()))
                .expect("writing to a String cannot fail");
        }
        page
    })?;
    Ok(if verified.waits { super::not_done() } else { said })
}
