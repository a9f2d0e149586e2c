//! `remember` and `correct`: something new comes in.

use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_engine::{NewMemory, Remembered};

use super::text_or_stdin;
use crate::args;
use crate::settings::Settings;
use crate::ui::{GOOD, ID, Ui, WARN, paint};
use crate::view::{self, WireMemory};

#[derive(Debug, Serialize)]
struct WireRemembered {
    memory: WireMemory,
    deduped: bool,
    superseded: Vec<String>,
    contested: Vec<String>,
    redacted: usize,
    batch: String,
}

pub(super) fn remember(
    args: &args::Remember,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let new = NewMemory {
        content: text_or_stdin(&args.text)?,
        kind: args.kind,
        slot: args.slot.clone(),
        tags: args.tags.clone(),
        label: args.label.clone(),
        domain: args.domain.clone(),
        importance: args.importance,
        confidence: args.confidence,
        pinned: args.pin,
        because: args.because.clone(),
        authority: args.authority,
        triggers: args.triggers.clone(),
        watch: args.watch.clone(),
        revive: args.revive,
        shown: Vec::new(),
    };
    let remembered = settings.engine()?.remember(&settings.context()?, &new)?;
    let done = if remembered.deduped { "Known already; evidence added" } else { "Remembered" };
    answer(ui, done, &remembered)
}

pub(super) fn correct(
    args: &args::Correct,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let text = text_or_stdin(&args.text)?;
    let context = settings.context()?;
    let corrected = settings.engine()?.correct(&context, &args.id, &text, args.slot.as_ref())?;
    answer(ui, "Corrected", &corrected)
}

fn answer(ui: &mut Ui, done: &str, remembered: &Remembered) -> anyhow::Result<ExitCode> {
    let ids = |ids: &[throughline_core::MemoryId]| ids.iter().map(ToString::to_string).collect();
    let wire = WireRemembered {
        memory: (&remembered.card).into(),
        deduped: remembered.deduped,
        superseded: ids(&remembered.superseded),
        contested: ids(&remembered.contested),
        redacted: remembered.redacted,
        batch: remembered.batch.to_string(),
    };
    ui.answer(&wire, || {
        let mut page = format!("{}\n{}", paint(GOOD, done), view::brief(&remembered.card));
        if remembered.redacted > 0 {
            let words = paint(
                WARN,
                format!("\n          {} taken out: it looks like a secret", remembered.redacted),
            );
            page.push_str(&words);
        }
        for id in &remembered.superseded {
            let line = format!("\n          replaces {}", paint(ID, id.handle()));
            page.push_str(&line);
        }
        for id in &remembered.contested {
            let words = paint(WARN, "contradicts");
            write!(page, "\n          {words} {}", paint(ID, id.handle()))
                .expect("writing to a String cannot fail");
        }
        page
    })
}
