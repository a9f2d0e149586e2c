//! `focus`: what a session has in mind.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde::Serialize;
use throughline_core::NodeId;
use throughline_core::text::plural;
use throughline_engine::{FocusNode, InFocus};

use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, paint, safe};
use throughline_view::rounded;

#[derive(Debug, Serialize)]
struct WireFocus {
    session: String,
    turn: u32,
    focus: Vec<WireFocusNode>,
    near: Vec<WireFocusNode>,
    further: Vec<WireFurther>,
    domains: Vec<WireFurther>,
}

#[derive(Debug, Serialize)]
struct WireFocusNode {
    id: String,
    r#type: &'static str,
    label: String,
    domain: Option<String>,
    activation: f64,
    anchor: bool,
}

#[derive(Debug, Serialize)]
struct WireFurther {
    domain: Option<String>,
    n: usize,
}

pub(super) fn focus(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let context = settings.context()?;
    let found = settings.engine()?.looking(&context).in_focus()?;
    let counts = |counts: &BTreeMap<String, usize>| {
        counts.iter().map(|(domain, n)| WireFurther { domain: named(domain), n: *n }).collect()
    };
    let wire = WireFocus {
        session: found.session.to_string(),
        turn: found.turn,
        focus: found.focus.iter().map(wire_node).collect(),
        near: found.near.iter().map(wire_node).collect(),
        further: counts(&found.further),
        domains: counts(&found.domains),
    };
    ui.answer(&wire, || in_words(&found))
}

fn named(domain: &str) -> Option<String> {
    (!domain.is_empty()).then(|| domain.to_owned())
}

fn wire_node(node: &FocusNode) -> WireFocusNode {
    let (id, r#type) = match node.node {
        NodeId::Memory(id) => (id.to_string(), "memory"),
        NodeId::Entity(id) => (id.to_string(), "entity"),
        NodeId::Episode(id) => (id.to_string(), "turn"),
    };
    WireFocusNode {
        id,
        r#type,
        label: node.label.clone(),
        domain: named(&node.domain),
        activation: rounded(node.activation),
        anchor: node.anchor,
    }
}

fn in_words(found: &InFocus) -> String {
    let session = safe(&found.session.to_string());
    let mut page = format!("{} {session}\n", paint(DIM, "session"));
    if found.focus.is_empty() {
        page.push_str(&paint(
            DIM,
            "nothing is in focus: it has not spoken of anything twice lately",
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
