//! `focus`: what a session has in mind.

use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::NodeId;
use throughline_core::text::plural;
use throughline_engine::InFocus;

use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, paint, safe};
use throughline_view::WireFocus;

pub(super) fn focus(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let found = settings.engine()?.looking(&context).in_focus()?;
    ui.answer(&WireFocus::from(&found), || in_words(&found))
}

fn in_words(found: &InFocus) -> String {
    let session = safe(&found.session.to_string());
    let mut page = format!("{} {session}\n", paint(DIM, "session"));
    if found.focus.is_empty() {
        page.push_str(&paint(
            DIM,
            "nothing is in focus: the session has not spoken of anything twice lately",
        ));
        return page;
    }
    let parts = [("in focus", &found.focus), ("one step away", &found.near)];
    for (title, nodes) in parts.into_iter().filter(|(_, nodes)| !nodes.is_empty()) {
        writeln!(page, "{}", paint(BOLD, title)).expect("writing to a String cannot fail");
        for node in nodes {
            let label = match node.node {
                NodeId::Memory(id) => format!("{} {}", paint(ID, id.handle()), safe(&node.label)),
                NodeId::Entity(_) | NodeId::Episode(_) => safe(&node.label),
            };
            let present = paint(DIM, format!("{:.2}", node.activation));
            writeln!(page, "  {present} {label}").expect("writing to a String cannot fail");
        }
    }
    for (domain, n) in &found.further {
        let place = if domain.is_empty() { String::new() } else { format!(" in {}", safe(domain)) };
        let more = format!("{}{place} further away", plural(*n, "memory"));
        writeln!(page, "{}", paint(DIM, more)).expect("writing to a String cannot fail");
    }
    page
}
