//! Stories: a test told in days and turns, run on a real engine, answered in plain lines.
//!
//! ```text
//! day 1: staging runs Postgres 14
//! day 9, correct "Postgres 14": staging runs Postgres 16
//! ask: which Postgres does staging run?
//! as of day 5, ask: which Postgres does staging run?
//! ```
//!
//! A line is `[day N][, by AUTHORITY][, in SESSION][, slot S|P|O|one] [, VERB]: TEXT`. Without a verb the text is
//! remembered, said by the user. Verbs: `correct "PART"`, `forget "PART"`, `archive "PART"`,
//! `confirm "PART"`, `undo`, `ask` (recall), `find` (search), where PART is a part of the memory
//! that is meant. The answer of a story is what its questions were answered, one line for each
//! memory, and what was refused.

use std::fmt::Write as _;

use throughline_core::memory::Slot;
use throughline_core::{Authority, Memory, SessionId, Timestamp};
use throughline_engine::{
    Ask, Card, Clock, Context, Engine, Filter, NewMemory, Project, RecalledThing, Result,
};

/// The first day of every story.
const DAY_ZERO: &str = "2026-01-01T12:00:00Z";

/// Tells a story and returns what it was answered.
///
/// # Panics
/// If a line cannot be understood: then the story is wrong, not the engine.
pub fn story(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let project = Project::at(folder.path()).expect("the folder is there");
    let mut teller = Teller { folder, project, day: 0, answers: String::new() };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        teller.tell(line);
    }
    teller.answers.trim_end().to_owned()
}

struct Teller {
    folder: tempfile::TempDir,
    project: Project,
    day: u32,
    answers: String,
}

/// A line taken apart.
#[derive(Default)]
struct Line<'a> {
    day: Option<u32>,
    as_of: Option<u32>,
    authority: Option<Authority>,
    session: Option<&'a str>,
    slot: Option<Slot>,
    verb: &'a str,
    part: Option<&'a str>,
    text: &'a str,
}

impl Teller {
    fn tell(&mut self, line: &str) {
        let parsed = parse(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        self.day = parsed.day.unwrap_or(self.day);
        if let Err(error) = self.act(&parsed) {
            writeln!(self.answers, "refused: {}", error.code())
                .expect("a String can be written to");
        }
    }

    fn act(&mut self, line: &Line<'_>) -> Result<()> {
        let engine =
            Engine::open(&self.folder.path().join("home"), Clock::Fixed(moment(self.day)))?;
        let mut context = Context::user(self.project.clone());
        context.session = line.session.map(|session| SessionId(session.to_owned()));
        match line.verb {
            "" => {
                let authority = line.authority.unwrap_or(Authority::UserStated);
                let slot = line.slot.clone();
                let new = NewMemory { authority, slot, ..NewMemory::new(line.text) };
                engine.keeping(&context).remember(&new)?;
            }
            "correct" => {
                let id = id_meant(&engine, &context, line)?;
                engine.keeping(&context).correct(&id, line.text, line.slot.as_ref())?;
            }
            "forget" => {
                engine.keeping(&context).forget(&id_meant(&engine, &context, line)?, None)?;
            }
            "archive" => {
                engine.keeping(&context).archive(&id_meant(&engine, &context, line)?, None)?;
            }
            "confirm" => {
                engine.keeping(&context).confirm(&id_meant(&engine, &context, line)?)?;
            }
            "undo" => {
                engine.keeping(&context).undo(None)?;
            }
            "ask" | "find" => self.answer(&engine, &context, line)?,
            other => panic!("a story has no verb {other:?}"),
        }
        Ok(())
    }

    fn answer(&mut self, engine: &Engine, context: &Context, line: &Line<'_>) -> Result<()> {
        writeln!(self.answers, "{}", line.text).expect("a String can be written to");
        let mut lines = Vec::new();
        if line.verb == "ask" {
            let limits = engine.policy().recall;
            let ask = Ask { as_of: line.as_of.map(moment), ..Ask::new(line.text, limits) };
            for item in engine.recalling(context).recall(&ask)?.items {
                if let RecalledThing::Memory(card) = &item.what {
                    lines.push(spoken(card, item.history.as_deref()));
                }
            }
        } else {
            let reader = engine.reader(line.as_of.map(moment))?;
            let found = engine.looking(context).search(&*reader, line.text, &Filter::default())?;
            lines.extend(found.items.iter().map(|card| spoken(card, None)));
        }
        if lines.is_empty() {
            writeln!(self.answers, "(nothing)").expect("a String can be written to");
        }
        for line in lines {
            writeln!(self.answers, "- {line}").expect("a String can be written to");
        }
        Ok(())
    }
}

fn moment(day: u32) -> Timestamp {
    let zero: Timestamp = DAY_ZERO.parse().expect("a well-formed time");
    zero.plus_days(f64::from(day))
}

/// A memory as a story tells it: what, since which day, how true, what it replaced.
fn spoken(card: &Card, history: Option<&str>) -> String {
    let memory = &card.memory;
    let mut notes =
        vec![format!("day {}", day_of(memory)), format!("trust {:.2}", card.trust.value())];
    if !memory.state.is_active() || memory.state == throughline_core::State::Staged {
        notes.push(memory.state.to_string());
    }
    notes.extend(card.flags.iter().map(ToString::to_string));
    notes.extend(
        history
            .map(|line| line.split_once(": ").map_or(line, |(_, was)| was))
            .map(|was| format!("replaced: {was}")),
    );
    format!("{} ({})", memory.content, notes.join("; "))
}

fn day_of(memory: &Memory) -> i64 {
    memory.recorded_at.day() - moment(0).day()
}

/// The id of the memory whose text holds the line's part.
fn id_meant(engine: &Engine, context: &Context, line: &Line<'_>) -> Result<String> {
    let part = line.part.expect("this verb names a memory in quotes");
    let reader = engine.now_reader()?;
    let all = Filter { all: true, ..Filter::default() };
    let cards = engine.looking(context).list(&*reader, &all)?.items;
    let card = cards
        .iter()
        .find(|card| card.memory.content.contains(part))
        .unwrap_or_else(|| panic!("no memory says {part:?}"));
    Ok(card.memory.id.to_string())
}

fn parse(line: &str) -> std::result::Result<Line<'_>, String> {
    let (head, text) = line.split_once(':').ok_or("a line needs a colon")?;
    let mut parsed = Line { text: text.trim(), ..Line::default() };
    for clause in head.split(',').map(str::trim) {
        let number = |text: &str| text.trim().parse::<u32>().map_err(|e| e.to_string());
        if let Some(day) = clause.strip_prefix("as of day ") {
            parsed.as_of = Some(number(day)?);
        } else if let Some(day) = clause.strip_prefix("day ") {
            parsed.day = Some(number(day)?);
        } else if let Some(authority) = clause.strip_prefix("by ") {
            parsed.authority = Some(authority.parse()?);
        } else if let Some(session) = clause.strip_prefix("in ") {
            parsed.session = Some(session);
        } else if let Some(slot) = clause.strip_prefix("slot ") {
            parsed.slot = Some(Slot::parse(slot)?);
        } else if let Some((verb, part)) = clause.split_once(" \"") {
            parsed.verb = verb;
            parsed.part = Some(part.trim_end_matches('"'));
        } else {
            parsed.verb = clause;
        }
    }
    Ok(parsed)
}
