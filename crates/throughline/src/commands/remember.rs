//! `remember`, `correct` and `promote`: something new comes in.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::{Kind, text};
use throughline_engine::{NewMemory, Remembered, kind_of, procedure_of};
use throughline_view::WireRemembered;

use super::text_or_stdin;
use crate::args;
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, ID, Ui, WARN, paint, safe};
use crate::view;

/// Characters that are shown of what a claim met.
const SAID_CHARS: usize = 100;

pub(super) fn remember(
    args: &args::Remember,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let content = text_or_stdin(&args.text)?;
    let (content, by_form) = if args.steps.is_empty() {
        let by_form = kind_of(&content).unwrap_or(Kind::Fact);
        (content, by_form)
    } else {
        (procedure_of(&content, &args.steps)?, Kind::Procedure)
    };
    let new = NewMemory {
        kind: args.kind.unwrap_or(by_form),
        content,
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
    let remembered = settings.engine()?.keeping(&settings.context()?).remember(&new)?;
    let done = if remembered.deduped { "Known already; evidence added" } else { "Remembered" };
    answer(ui, GOOD, done, &remembered)
}

pub(super) fn correct(
    args: &args::Correct,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let text = text_or_stdin(&args.text)?;
    let context = settings.context()?;
    let corrected =
        settings.engine()?.keeping(&context).correct(&args.id, &text, args.slot.as_ref())?;
    if !corrected.superseded.is_empty() {
        return answer(ui, GOOD, "Corrected", &corrected);
    }
    // An agent's word does not take the place of what ranks above it, nor one person's that of another.
    let done = if settings.is_person() {
        "Not corrected: another person said it, and yours is kept beside it, contested, until they or an \
         owner settle it in `review`"
    } else if corrected.deduped {
        "Not corrected: the memory stays, and the other one was known already"
    } else {
        "Not corrected: the memory stays, and the new text is kept beside it for the user to decide"
    };
    answer(ui, WARN, done, &corrected)?;
    Ok(super::not_done())
}

pub(super) fn promote(id: &str, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let promoted = settings.engine()?.keeping(&settings.context()?).promote(id)?;
    let done = if promoted.deduped {
        "Known in this project already; evidence added"
    } else {
        "Promoted: it holds in this project for everybody in it"
    };
    answer(ui, GOOD, done, &promoted)
}

fn answer(
    ui: &mut Ui,
    style: anstyle::Style,
    done: &str,
    remembered: &Remembered,
) -> anyhow::Result<ExitCode> {
    ui.answer(&WireRemembered::from(remembered), || {
        let mut page = format!("{}\n{}", paint(style, done), view::brief(&remembered.card));
        if remembered.redacted > 0 {
            let words = paint(
                WARN,
                format!("\n          {} removed: it looks like a secret", remembered.redacted),
            );
            page.push_str(&words);
        }
        if !remembered.left_out.is_empty() {
            let names = remembered.left_out.join(", ");
            let words = format!("\n          {} {names}", paint(WARN, "left out:"));
            page.push_str(&words);
            page.push_str(" — these are the user's words, so only the user can add to them");
        }
        for line in met(remembered) {
            write!(page, "\n          {line}").expect("writing to a String cannot fail");
        }
        page
    })
}

/// What a claim met, and what it is bound to: a line each.
fn met(remembered: &Remembered) -> Vec<String> {
    let mut lines = Vec::new();
    for old in &remembered.met {
        let says = text::headline(&safe(&old.content), SAID_CHARS);
        let old_one = format!("{} {says}", paint(ID, old.id.handle()));
        if remembered.superseded.contains(&old.id) {
            let line = format!("{} {old_one}", paint(WARN, "replaces:"));
            // It may have been met by its id and by its words.
            if !lines.contains(&line) {
                lines.push(line);
            }
            continue;
        }
        let stands = if old.authority.outranks(remembered.card.memory.authority) {
            format!("; that one stays, {} ranks higher", old.authority)
        } else {
            String::new()
        };
        let decide = "decide with `throughline review`";
        lines.push(format!("{} {old_one}{stands} — {decide}", paint(WARN, "disagrees with:")));
    }
    for left in &remembered.left {
        let says = text::headline(&safe(&left.content), SAID_CHARS);
        lines.push(format!("{} {} {says}", paint(GOOD, "stays:"), paint(ID, left.id.handle())));
    }
    for mark in &remembered.card.watermarks {
        let place = safe(&mark.referent.place());
        lines.push(format!("{} {place}", paint(DIM, "tied to:")));
    }
    if let Some(path) = &remembered.not_found {
        let path = text::headline(&safe(path), SAID_CHARS);
        let words = "there is no such file here, so it is not tied to it";
        lines.push(format!("{} {path} — {words}", paint(WARN, "not found:")));
    }
    lines
}
