//! `graph`: memories and their connections, drawn.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use throughline_core::{NodeId, text};
use throughline_engine::{Graph, GraphNode, GraphWanted};
use throughline_view::{WireGraph, bare};

use crate::args::{self, GraphFormat};
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, ID, Ui, paint, safe, warn_of};

pub(super) fn graph(
    args: &args::Graph,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let wanted = GraphWanted { focus: args.focus.as_deref(), depth: args.depth, nodes_max: None };
    let graph = engine.looking(&context).graph(&*engine.now_reader()?, &wanted)?;
    let as_json = args.format == GraphFormat::Json;
    ui.json |= as_json;
    if args.format == GraphFormat::Dot && !ui.json {
        // For a program: printed as it is, never wrapped.
        ui.print(&dot(&graph))?;
        warn_of(&throughline_engine::left_out());
        return Ok(ExitCode::SUCCESS);
    }
    ui.answer(&WireGraph::from(&graph), || in_words(&graph))
}

/// Each memory with what it points to; then what nothing points to or from.
fn in_words(graph: &Graph) -> String {
    if graph.nodes.is_empty() {
        return paint(DIM, "nothing is remembered yet");
    }
    let by_id: BTreeMap<NodeId, &GraphNode> =
        graph.nodes.iter().map(|node| (node.id(), node)).collect();
    let mut page = String::new();
    let mut alone = Vec::new();
    for node in &graph.nodes {
        let out: Vec<_> = graph.edges.iter().filter(|edge| edge.from == node.id()).collect();
        let linked = graph.edges.iter().any(|edge| edge.to == node.id());
        if out.is_empty() {
            if !linked {
                alone.push(node);
            }
            continue;
        }
        writeln!(page, "{}", line(node)).expect("writing to a String cannot fail");
        for (at, edge) in out.iter().enumerate() {
            let fork = if at + 1 == out.len() { "└─" } else { "├─" };
            let end = by_id.get(&edge.to).map(|end| line(end)).unwrap_or_default();
            writeln!(page, "  {fork} {} {end}", paint(DIM, edge.relation))
                .expect("writing to a String cannot fail");
        }
    }
    for node in alone {
        writeln!(page, "{}", line(node)).expect("writing to a String cannot fail");
    }
    if graph.left_out > 0 {
        let more = format!("… and {} more (--focus ID narrows)", graph.left_out);
        writeln!(page, "{}", paint(DIM, more)).expect("writing to a String cannot fail");
    }
    page
}

fn line(node: &GraphNode) -> String {
    match node {
        GraphNode::Memory(memory) => {
            let state = if memory.state.is_active() {
                String::new()
            } else {
                paint(DIM, format!(" ({})", memory.state))
            };
            format!("{} {}{state}", paint(ID, memory.id.handle()), safe(&memory.title()))
        }
        GraphNode::Entity(entity) => {
            format!("{} {}", paint(DIM, entity.kind), paint(BOLD, safe(&entity.name)))
        }
    }
}

fn dot(graph: &Graph) -> String {
    let quote = |name: &str| {
        let name = text::headline(&safe(name), 60).replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{name}\"")
    };
    let mut page =
        "digraph memory {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n".to_owned();
    for node in &graph.nodes {
        let shape = match node {
            GraphNode::Memory(memory) if memory.state.is_active() => "box",
            GraphNode::Memory(_) => "box, style=dashed",
            GraphNode::Entity(_) => "ellipse",
        };
        writeln!(
            page,
            "  \"{}\" [shape={shape}, label={}];",
            bare(node.id()),
            quote(&node.title())
        )
        .expect("writing to a String cannot fail");
    }
    for edge in &graph.edges {
        writeln!(
            page,
            "  \"{}\" -> \"{}\" [label=\"{}\"];",
            bare(edge.from),
            bare(edge.to),
            edge.relation
        )
        .expect("writing to a String cannot fail");
    }
    page.push_str("}\n");
    page
}
