//! `demo`: a bundled session, replayed through the very path that an agent's hooks take, on a
//! memory that is thrown away. Turn by turn: what fired, what was kept, what the agent was told.

mod story;

use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;
use throughline_agents::Host;
use throughline_core::event::{Event, What};
use throughline_core::{Timestamp, text};
use throughline_engine::{Card, Reply};

use crate::args::{self, Cli};
use crate::commands;
use crate::hook;
use crate::settings::{Environment, Settings};
use crate::ui::{BOLD, DIM, GOOD, ID, Ui, WARN, own, paint, safe};
use story::{Stop, TOUR, TOUR_ENDS};

/// Columns before what is said.
const MARGIN: &str = "           ";
/// Characters of the words that were noticed.
const NOTICED_CHARS: usize = 48;

pub(crate) fn demo(
    args: &args::Demo,
    environment: &Environment,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let home = tempfile::tempdir()?;
    let project = home.path().join("webshop");
    std::fs::create_dir(&project)?;
    ui.say(&format!(
        "{}\n{}\n\n",
        paint(BOLD, "Three days with an agent, in a minute"),
        paint(
            DIM,
            "A recorded session goes through the same hooks that `throughline init` puts into \
             Claude Code, on a temporary memory that is deleted at the end."
        )
    ))?;
    let at = TourPlace { home: &home.path().join("home"), project: &project, environment };
    for stop in TOUR {
        visit(stop, at, ui)?;
    }
    if args.serve {
        ui.say(&format!("{}\n", paint(BOLD, "The same memory, to look at:")))?;
        // The clock stays where the story ends, so that nothing of it is long past.
        let now: Timestamp = TOUR_ENDS.parse().map_err(anyhow::Error::msg)?;
        let serve =
            args::Serve { action: None, port: Some(args.port.unwrap_or(0)), open: args.open };
        return commands::serve(&serve, &at.settings(now), ui);
    }
    ui.say(&format!(
        "{}\n  throughline init             connects the agents that are found here\n  \
         throughline ingest --past    imports the past sessions of this project\n  \
         throughline --help           for the rest",
        paint(BOLD, "Your turn:")
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Where the tour takes place.
#[derive(Clone, Copy)]
struct TourPlace<'a> {
    home: &'a Path,
    project: &'a Path,
    environment: &'a Environment,
}

impl TourPlace<'_> {
    fn settings(self, now: Timestamp) -> Settings {
        Settings::elsewhere(self.home, self.project, now, self.environment)
    }
}

fn visit(stop: &Stop, at_home: TourPlace<'_>, ui: &mut Ui) -> anyhow::Result<()> {
    match stop {
        Stop::Day { on, says } => ui.say(&format!("{}  {}\n", paint(BOLD, on), paint(DIM, says))),
        Stop::Hook { at, event, payload } => {
            let now: Timestamp = at.parse().map_err(anyhow::Error::msg)?;
            let settings = at_home.settings(now);
            let payload =
                payload.replace("{project}", &json_text(&at_home.project.to_string_lossy()));
            let engine = settings.engine()?;
            let heard = hook::answered_with(
                event,
                Host::ClaudeCode,
                payload.as_bytes(),
                &settings,
                &engine,
            )?;
            if let Some((event, context, reply)) = heard {
                let kept = engine.looking(&context).cards_of(&reply.capture.memories)?;
                let replaced = engine.looking(&context).cards_of(&reply.capture.superseded)?;
                ui.say(&told(at, &event, &reply, &kept, &replaced))?;
            }
            Ok(())
        }
        Stop::Ask { at, says, runs } => {
            let now: Timestamp = at.parse().map_err(anyhow::Error::msg)?;
            let settings = at_home.settings(now);
            let words: Vec<String> = runs.iter().map(ToString::to_string).collect();
            let shown: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            ui.say(&format!(
                "{says}\n{} {}",
                paint(GOOD, "$ throughline"),
                paint(ID, shown.join(" "))
            ))?;
            let cli = Cli::try_parse_from(std::iter::once("throughline".to_owned()).chain(words))?;
            commands::run(&cli.command, &settings, ui)?;
            ui.print("")
        }
    }
}

/// One event, and what became of it.
fn told(at: &str, event: &Event, reply: &Reply, kept: &[Card], replaced: &[Card]) -> String {
    let clock = &at[11..16];
    let mut page = format!("{}  {}\n", paint(DIM, clock), headline(event));
    let line = |page: &mut String, name: String, what: String| {
        // Two spaces, so that what is long goes on under its own text.
        page.push_str(&format!("{MARGIN}{name}  {what}\n"));
    };
    for fired in &reply.capture.fired {
        let quote = text::headline(&safe(&fired.words), NOTICED_CHARS);
        let words = format!("{} (“{quote}”)", fired.signal);
        line(&mut page, paint(DIM, "noticed:"), words);
    }
    for card in kept {
        line(&mut page, paint(GOOD, "kept:"), held(card));
    }
    for card in replaced {
        line(&mut page, paint(WARN, "no longer holds:"), held(card));
    }
    if reply.said.text.is_empty() {
        if matches!(event.what, What::Prompted { .. } | What::Started(_)) {
            line(&mut page, paint(DIM, "told the agent:"), paint(DIM, "nothing"));
        }
    } else {
        page.push_str(&format!("{MARGIN}{}\n", paint(BOLD, "told the agent:")));
        for text in own(&reply.said.text).lines() {
            page.push_str(&format!("{MARGIN}  {}\n", paint(DIM, text)));
        }
    }
    page
}

fn held(card: &Card) -> String {
    let memory = &card.memory;
    let handle = paint(ID, memory.id.handle());
    format!("{} [{}, {handle}]", safe(&memory.content), memory.kind)
}

fn headline(event: &Event) -> String {
    match &event.what {
        What::Started(start) => format!("a session begins ({start})"),
        What::Prompted { text } => format!("you: {}", paint(BOLD, safe(text))),
        What::ToolStarts(call) => {
            let what = call.command.as_ref().or(call.files.first());
            format!("about to run: {}", safe(what.map_or("", String::as_str)))
        }
        What::ToolsRan(runs) => {
            let run = runs.first();
            let failed = run.is_some_and(|run| run.failed);
            let what = run.and_then(|run| run.call.command.as_deref()).unwrap_or_default();
            format!("{}: {}", if failed { "failed" } else { "ran" }, safe(what))
        }
        What::Answered { text } | What::HelperAnswered { text } => {
            format!("agent: {}", safe(text.as_deref().unwrap_or_default()))
        }
        What::HelperAsked { text, .. } => format!("agent to a helper: {}", safe(text)),
        What::HelperStarts { .. } => "a helper begins".to_owned(),
        What::Compacting => "the context is about to be compacted".to_owned(),
        What::Compacted { .. } => "the context was compacted".to_owned(),
        What::Ended => "the session ends".to_owned(),
        What::Nothing { why } => format!("nothing ({})", safe(why)),
    }
}

/// A text as it stands inside JSON quotes.
fn json_text(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn quoted(word: &str) -> String {
    if word.chars().all(|c| c.is_alphanumeric() || "-_.".contains(c)) {
        word.to_owned()
    } else {
        format!("\"{word}\"")
    }
}
