//! `verify`: what moved is checked.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::{SessionId, Watermark, text};
use throughline_engine::{Card, Context, Showed, ToCheck, Verified, Woken};

use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, ID, Ui, WARN, paint, safe};
use crate::view::{self, WireMemory};

/// Memories to check that are listed at most.
const LISTED: usize = 100;

#[derive(Debug, Serialize)]
struct WireVerify {
    checked: usize,
    unchanged: usize,
    moved: Vec<WireBinding>,
    missing: Vec<WireBinding>,
    unknown: Vec<WireBinding>,
    queue: Vec<WireToCheck>,
    /// What hangs on nothing observable and has not been confirmed for long.
    reconfirm: Vec<WireMemory>,
}

#[derive(Debug, Serialize)]
struct WireBinding {
    memory: String,
    target: String,
    then: String,
    now: String,
}

/// A memory to check, as `review` shows it too.
#[derive(Debug, Serialize)]
pub(super) struct WireToCheck {
    memory: WireMemory,
    then: String,
    now: String,
    message: String,
}

#[derive(Debug, Serialize)]
struct WireVerified {
    memory: WireMemory,
    outcome: &'static str,
    /// Only a person takes back what a person said: it waits in `review`.
    waits: bool,
    lesson: Option<String>,
}

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
    let old = engine.watching(&context).to_reconfirm(&*engine.now_reader()?, LISTED)?;
    let bindings = |marks: &[Watermark]| marks.iter().map(wire_binding).collect();
    let wire = WireVerify {
        checked: woken.checked,
        unchanged: woken.unchanged,
        moved: bindings(&woken.moved),
        missing: bindings(&woken.missing),
        unknown: bindings(&woken.unknown),
        queue: queue.iter().map(WireToCheck::from).collect(),
        reconfirm: old.iter().map(WireMemory::from).collect(),
    };
    ui.answer(&wire, || page(&woken, &queue, &old))
}

fn wire_binding(mark: &Watermark) -> WireBinding {
    WireBinding {
        memory: mark.memory.to_string(),
        target: mark.referent.to_string(),
        then: mark.then.clone(),
        now: mark.now.clone(),
    }
}

impl From<&ToCheck> for WireToCheck {
    fn from(one: &ToCheck) -> Self {
        Self {
            memory: (&one.card).into(),
            then: one.then.clone(),
            now: one.now.clone(),
            message: one.message.clone(),
        }
    }
}

fn page(woken: &Woken, queue: &[ToCheck], old: &[Card]) -> String {
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
    for card in old {
        writeln!(page, "{}", to_reconfirm(card)).expect("writing to a String cannot fail");
    }
    page
}

/// A memory that nobody has confirmed for long, for people.
pub(super) fn to_reconfirm(card: &Card) -> String {
    let since = format!("unconfirmed since {}", card.confirmed_at.date());
    let handle = card.memory.id.handle();
    let ways = format!("{since} · confirm {handle}, or forget {handle}");
    let content = text::headline(&safe(&card.memory.content), 200);
    format!("{}  {content}\n          {}", paint(ID, &handle), paint(DIM, ways))
}

/// A memory to check, for people.
pub(super) fn in_lines(one: &ToCheck) -> String {
    let handle = one.card.memory.id.handle();
    let ways = format!("verify {handle} --confirmed, or --refuted");
    format!("{}  {}\n          {}", paint(ID, &handle), safe(&one.message), paint(DIM, ways))
}

fn answer_verified(ui: &mut Ui, showed: Showed, verified: &Verified) -> anyhow::Result<ExitCode> {
    let (outcome, done) = match showed {
        Showed::Confirmed => ("confirmed", "It still holds; recorded as it is now"),
        Showed::Refuted if verified.waits => (
            "refuted",
            "Not done: only the user can retract what the user said. It waits in `review`",
        ),
        Showed::Refuted => ("refuted", "Retracted"),
    };
    let wire = WireVerified {
        memory: (&verified.card).into(),
        outcome,
        waits: verified.waits,
        lesson: verified.lesson.map(|id| id.to_string()),
    };
    let style = if verified.waits { WARN } else { GOOD };
    let said = ui.answer(&wire, || {
        let mut page = format!("{}\n{}", paint(style, done), view::brief(&verified.card));
        if let Some(lesson) = &verified.lesson {
            write!(page, "\n          lesson kept: {}", paint(ID, lesson.handle()))
                .expect("writing to a String cannot fail");
        }
        page
    })?;
    Ok(if verified.waits { super::not_done() } else { said })
}
