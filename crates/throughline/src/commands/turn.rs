//! `show` and `why` of a turn: what was said, what rests on it, and to whom it was quoted.

use std::process::ExitCode;

use throughline_core::{Episode, Memory};
use throughline_engine::{Context, Engine, Wanted};
use throughline_view::{WireNode, WireQuoted, WireTurn, WireWhyTurn};

use super::history::time;
use crate::ui::{BOLD, DIM, Ui, paint, safe};
use crate::view;

pub(super) fn show(turn: &Episode, memories: &[Memory], ui: &mut Ui) -> anyhow::Result<ExitCode> {
    ui.answer(&WireTurn::new(turn, memories), || page(turn, memories))
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
        supports: memories.iter().map(WireNode::from).collect(),
        told: told.iter().map(WireQuoted::from).collect(),
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
