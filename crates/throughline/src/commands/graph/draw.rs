//! The graph as a picture: SVG, a page around it, and Mermaid. Everything is in the one file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use throughline_core::{NodeId, text};
use throughline_engine::{Graph, GraphNode};
use throughline_view::bare;

use super::layout::{self, Place};
use crate::ui::safe;

/// Characters on a node, and in what is shown when the pointer rests on it.
const LABEL_CHARS: usize = 28;
const TITLE_CHARS: usize = 200;

/// What the file looks like: by the colours that the reader's system has chosen.
const STYLE: &str = "svg{font:12px system-ui,sans-serif;background:#fff}.edge{stroke:#999;stroke-width:1.2}\
.relation{fill:#777;font-size:10px;text-anchor:middle}.node text{text-anchor:middle;fill:#222}\
.node rect{fill:#e8f0fe;stroke:#4a6fa5}.node ellipse{fill:#eef7e8;stroke:#6a9a4a}\
.gone rect{fill:#f4f4f4;stroke:#aaa;stroke-dasharray:4 3}.gone text{fill:#888}\
@media(prefers-color-scheme:dark){svg{background:#16181c}.node text{fill:#e6e6e6}.edge{stroke:#666}\
.node rect{fill:#1f2c44}.node ellipse{fill:#24331c}.gone rect{fill:#222}.relation{fill:#999}}";

/// The graph as an SVG picture.
pub(super) fn svg(graph: &Graph) -> String {
    let places = layout::places(graph);
    let (width, height) = layout::size(&places);
    let mut page = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-label=\"Memories and their connections\">\n<style>{STYLE}</style>\n"
    );
    let at: BTreeMap<NodeId, Place> =
        graph.nodes.iter().map(GraphNode::id).zip(places.iter().copied()).collect();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (at.get(&edge.from), at.get(&edge.to)) else { continue };
        let (x, y) = ((from.x + to.x) / 2.0, (from.y + to.y) / 2.0);
        let relation = escaped(&edge.relation.as_str().replace('_', " "));
        writeln!(
            page,
            "<line class=\"edge\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>\
             <text class=\"relation\" x=\"{x:.1}\" y=\"{y:.1}\">{relation}</text>",
            from.x, from.y, to.x, to.y
        )
        .expect("writing to a String cannot fail");
    }
    for (node, place) in graph.nodes.iter().zip(&places) {
        page.push_str(&drawn(node, *place));
    }
    page.push_str("</svg>\n");
    page
}

/// One node: a box for a memory, an ellipse for a thing.
fn drawn(node: &GraphNode, Place { x, y }: Place) -> String {
    let label = escaped(&text::headline(&safe(&node.title()), LABEL_CHARS));
    let (class, shape, about) = match node {
        GraphNode::Memory(memory) => {
            let class = if memory.state.is_active() { "node" } else { "node gone" };
            let content = text::headline(&safe(&memory.content), TITLE_CHARS);
            let about =
                format!("{content} ({}, {}, {})", memory.kind, memory.state, bare(node.id()));
            let (left, top) = (x - 95.0, y - 14.0);
            let shape = format!(
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"190\" height=\"28\" rx=\"6\"/>"
            );
            (class, shape, about)
        }
        GraphNode::Entity(entity) => {
            let shape = format!("<ellipse cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"80\" ry=\"15\"/>");
            ("node", shape, format!("{} {}", entity.kind, safe(&entity.name)))
        }
    };
    format!(
        "<g class=\"{class}\"><title>{}</title>{shape}<text x=\"{x:.1}\" y=\"{:.1}\">{label}</text></g>\n",
        escaped(&about),
        y + 4.0
    )
}

/// A page with the picture and with what each memory says.
pub(super) fn html(graph: &Graph) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Memory</title>\n\
         <style>body{{font:15px system-ui,sans-serif;margin:1rem;color-scheme:light dark}}\
         svg{{width:100%;height:auto;max-height:85vh}}li{{margin:.3rem 0}}code{{opacity:.7}}</style>\n\
         <h1>Memories and their connections</h1>\n{}<h2>Memories</h2>\n<ul>\n",
        svg(graph)
    );
    for node in &graph.nodes {
        let GraphNode::Memory(memory) = node else { continue };
        let notes = format!("{}, {}, {}", memory.kind, memory.state, memory.recorded_at.date());
        writeln!(
            page,
            "<li><code>{}</code> {} <small>({notes})</small></li>",
            memory.id.handle(),
            escaped(&safe(&memory.content))
        )
        .expect("writing to a String cannot fail");
    }
    page.push_str("</ul>\n");
    if graph.left_out > 0 {
        let more = format!(
            "<p>{} more are not drawn; <code>--focus ID</code> narrows.</p>\n",
            graph.left_out
        );
        page.push_str(&more);
    }
    page.push_str("</html>\n");
    page
}

/// The graph for Mermaid, as many viewers of Markdown draw it.
pub(super) fn mermaid(graph: &Graph) -> String {
    let names: BTreeMap<NodeId, usize> =
        graph.nodes.iter().enumerate().map(|(at, node)| (node.id(), at)).collect();
    let mut page = "flowchart LR\n".to_owned();
    for (at, node) in graph.nodes.iter().enumerate() {
        let label = text::headline(&safe(&node.title()), 2 * LABEL_CHARS);
        let label = label.replace('#', "#35;").replace('"', "#quot;");
        let label = label.replace('<', "#lt;").replace('>', "#gt;");
        let line = match node {
            GraphNode::Memory(memory) if memory.state.is_active() => {
                format!("  n{at}[\"{label}\"]")
            }
            GraphNode::Memory(_) => format!("  n{at}[\"{label}\"]:::gone"),
            GraphNode::Entity(_) => format!("  n{at}([\"{label}\"])"),
        };
        page.push_str(&line);
        page.push('\n');
    }
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (names.get(&edge.from), names.get(&edge.to)) {
            let relation = edge.relation.as_str().replace('_', " ");
            writeln!(page, "  n{from} -->|{relation}| n{to}")
                .expect("writing to a String cannot fail");
        }
    }
    page.push_str("  classDef gone stroke-dasharray: 4 3,opacity:0.6\n");
    page
}

/// Text as it may stand in XML.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no way to write these.
            c if c.is_control() && c != '\n' && c != '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
