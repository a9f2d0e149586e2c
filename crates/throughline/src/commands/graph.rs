//! `graph`: memories and their connections, drawn.

mod draw;
mod layout;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_core::{NodeId, text};
use throughline_engine::{Error, Graph, GraphNode, GraphWanted};
use throughline_view::{WireGraph, bare};

use crate::args::{self, GraphFormat};
use crate::settings::Settings;
use crate::ui::{BOLD, DIM, GOOD, ID, Ui, paint, safe, warn_of};

pub(super) fn graph(
    args: &args::Graph,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let wanted = GraphWanted { focus: args.focus.as_deref(), depth: args.depth, nodes_max: None };
    let graph = engine.looking(&context).graph(&*engine.now_reader()?, &wanted)?;
    let file = match args.format {
        GraphFormat::Dot => Some(dot(&graph)),
        GraphFormat::Html => Some(draw::html(&graph)),
        GraphFormat::Svg => Some(draw::svg(&graph)),
        GraphFormat::Mermaid => Some(draw::mermaid(&graph)),
        GraphFormat::Text | GraphFormat::Json => None,
    };
    if let Some(path) = &args.output {
        return write(path, file, &graph, ui);
    }
    ui.json |= args.format == GraphFormat::Json;
    if let Some(file) = file.filter(|_| !ui.json) {
        // For a program: printed as it is, never wrapped.
        ui.print(&file)?;
        warn_of(&throughline_engine::left_out());
        return Ok(ExitCode::SUCCESS);
    }
    ui.answer(&WireGraph::from(&graph), || in_words(&graph))
}

/// Where the graph was written.
#[derive(Debug, Serialize)]
struct WireDrawn {
    file: String,
    nodes: usize,
    edges: usize,
}

/// Writes the graph to a file that is not there yet, or that is replaced by the same name's.
fn write(
    path: &Path,
    file: Option<String>,
    graph: &Graph,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let Some(file) = file else {
        let message = "--output needs a format for files: --format html, svg, mermaid or dot";
        anyhow::bail!(Error::BadInput(message.to_owned()));
    };
    let folder = path.parent().filter(|at| !at.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        anyhow::bail!(Error::no_folder_for(path, folder));
    }
    std::fs::write(path, file).with_context(|| path.display().to_string())?;
    let (nodes, edges) = (graph.nodes.len(), graph.edges.len());
    let wire = WireDrawn { file: path.display().to_string(), nodes, edges };
    ui.answer(&wire, || paint(GOOD, format!("Drawn to {}", safe(&wire.file))))
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
