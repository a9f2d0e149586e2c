//! `told`: what was put before agents, when, to whom and why.

use std::process::ExitCode;

use throughline_core::text;
use throughline_engine::{Telling, Wanted};
use throughline_view::{WireTelling, WireTold};

use super::history::time;
use crate::args;
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, paint, safe};

/// Tellings that a person is shown at once.
const SHOWN: usize = 10;
/// Lines of each in a list, and characters of each line.
const LINES: usize = 4;
const LINE_CHARS: usize = 160;
/// Letters of a session's name.
const SESSION_CHARS: usize = 12;

pub(super) fn told(
    args: &args::Told,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    if let Some(id) = &args.id {
        let telling = engine.looking(&context).told_one(id)?;
        return ui.answer(&WireTelling::from(&telling), || whole(&telling));
    }
    let wanted = Wanted {
        all: args.all,
        session: args.session.clone(),
        since: settings.moment(args.since.as_deref())?,
        limit: args.limit.or((!ui.json).then_some(SHOWN)),
    };
    let (found, total) = engine.looking(&context).told(&wanted)?;
    let wire = WireTold { items: found.iter().map(WireTelling::from).collect(), total };
    ui.answer(&wire, || {
        if total == 0 && (wanted.session.is_some() || wanted.since.is_some()) {
            return paint(DIM, "nothing that agents were told matches");
        }
        if total == 0 {
            return paint(DIM, "no agent has been told anything yet");
        }
        let mut pages: Vec<String> = found.iter().map(in_short).collect();
        if found.len() < total {
            let more = format!("{} of {total}; `--limit {total}` shows all", found.len());
            pages.push(paint(DIM, more));
        }
        pages.join("\n\n")
    })
}

/// `2026-11-16 03:50:12  claude-code, UserPromptSubmit, session 440769d8-752, 41 tokens`
fn heading(telling: &Telling) -> String {
    let mut to = vec![safe(&telling.agent), safe(&telling.event)];
    if let Some(helper) = &telling.helper {
        to.push(format!("helper {}", safe(&text::headline(helper, SESSION_CHARS))));
    }
    if let Some(session) = &telling.session {
        let session: String = session.0.chars().take(SESSION_CHARS).collect();
        to.push(format!("session {}", safe(&session)));
    }
    to.push(text::plural(telling.tokens, "token"));
    let handle = paint(ID, telling.handle());
    format!("{handle}  {}  {}", time(telling.at), paint(BOLD, to.join(", ")))
}

/// The lines of a telling, without the fence around them.
fn lines(telling: &Telling) -> Vec<String> {
    if telling.erased {
        return vec!["(part of it was erased, so the text is gone)".to_owned()];
    }
    let is_fence = |line: &&str| line.starts_with("<memory-") || line.starts_with("</memory-");
    telling.text.lines().filter(|line| !is_fence(line)).map(safe).collect()
}

fn in_short(telling: &Telling) -> String {
    let lines = lines(telling);
    let mut page = heading(telling);
    for line in lines.iter().take(LINES) {
        page.push_str(&format!("\n  {}", text::headline(line, LINE_CHARS)));
    }
    if lines.len() > LINES {
        let more = text::plural(lines.len() - LINES, "more line");
        let more = format!("… {more}: `told {}`", telling.handle());
        page.push_str(&format!("\n  {}", paint(DIM, more)));
    }
    page
}

/// One telling, with why each line is in it.
fn whole(telling: &Telling) -> String {
    let mut page = heading(telling);
    for line in lines(telling) {
        page.push_str(&format!("\n  {line}"));
    }
    if !telling.why.is_empty() {
        page.push_str(&format!("\n\n{}", paint(BOLD, "Why")));
    }
    for one in &telling.why {
        let numbers = [
            ("score", one.score),
            ("relevance", one.relevance),
            ("salience", one.salience),
            ("trust", one.trust),
        ];
        let numbers = numbers.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        let numbers: Vec<String> =
            numbers.map(|(name, value)| format!("{name} {value:.2}")).collect();
        let numbers = if numbers.is_empty() {
            String::new()
        } else {
            paint(DIM, format!(" ({})", numbers.join(", ")))
        };
        page.push_str(&format!("\n  {} {}{numbers}", paint(ID, &one.id), safe(&one.reason)));
    }
    page
}
