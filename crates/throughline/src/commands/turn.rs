//! `show` and `why` of a turn: what was said, what rests on it, and to whom it was quoted.

use std::process::ExitCode;

use serde::Serialize;
use throughline_core::{Episode, Memory};
use throughline_engine::{Context, Engine, Telling, Wanted};

use super::history::{WireNode, node, time};
use super::recall::WireEpisode;
use crate::ui::{BOLD, DIM, Ui, paint, safe};
use crate::view;

#[derive(Debug, Serialize)]
struct WireTurn {
    #[serde(flatten)]
    episode: WireEpisode,
    memories: Vec<String>,
}

#[derive(Debug, Serialize)]
struct WireWhyTurn {
    episode: WireEpisode,
    supports: Vec<WireNode>,
    told: Vec<WireQuoted>,
}

#[derive(Debug, Serialize)]
struct WireQuoted {
    id: String,
    at: String,
    session: Option<String>,
    agent: String,
    event: String,
}

pub(super) fn show(turn: &Episode, memories: &[Memory], ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let wire = WireTurn {
        episode: turn.into(),
        memories: memories.iter().map(|memory| memory.id.to_string()).collect(),
    };
    ui.answer(&wire, || page(turn, memories))
}

pub(super) fn why(
    engine: &Engine,
    context: &Context,
    turn: &Episode,
    memories: &[Memory],
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (mut told, _) = engine.looking(context).told(&Wanted::default())?;
    told.retain(|one| one.turns.contains(&turn.id));
    let wire = WireWhyTurn {
        episode: turn.into(),
        supports: memories.iter().map(node).collect(),
        told: told.iter().map(quoted).collect(),
    };
    ui.answer(&wire, || {
        let mut page = page(turn, memories);
        for one in &told {
            let to = format!("{} {}, {}", time(one.at), safe(&one.agent), safe(&one.event));
            page.push_str(&format!("\n{} {to}", paint(DIM, "quoted to")));
        }
        page
    })
}

fn quoted(telling: &Telling) -> WireQuoted {
    WireQuoted {
        id: telling.id.to_string(),
        at: telling.at.to_string(),
        session: telling.session.as_ref().map(ToString::to_string),
        agent: telling.agent.clone(),
        event: telling.event.clone(),
    }
}

fn page(turn: &Episode, memories: &[Memory]) -> String {
    let by = format!(
        "said by {}, {}, session {}; a turn, not verified",
        safe(&turn.speaker),
        time(turn.at),
        safe(&turn.session.0)
    );
    let mut page = format!("{}\n{}", paint(BOLD, safe(&turn.text)), paint(DIM, by));
    for memory in memories {
        let title = safe(&memory.title());
        page.push_str(&format!(
            "\n{} {} {title}",
            paint(DIM, "rests on it:"),
            view::handle(memory)
        ));
    }
    page
}
