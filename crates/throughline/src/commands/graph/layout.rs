//! Where nodes are drawn: what is connected lies together, and nothing lies on top of another. The same graph is always
//! drawn in the same way.

use std::collections::BTreeMap;

use throughline_core::NodeId;
use throughline_engine::{Graph, GraphNode};

/// Room for one node.
const CELL: (f64, f64) = (230.0, 70.0);
/// Room around the picture.
const MARGIN: f64 = 120.0;

/// The middle of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// The places of the nodes, in their order: a row of columns for each part that hangs together, the nodes of a column
/// being equally far from the part's first.
pub(super) fn places(graph: &Graph) -> Vec<Place> {
    let number: BTreeMap<NodeId, usize> =
        graph.nodes.iter().map(GraphNode::id).enumerate().map(|(at, id)| (id, at)).collect();
    let mut beside: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        if let (Some(&from), Some(&to)) = (number.get(&edge.from), number.get(&edge.to)) {
            beside[from].push(to);
            beside[to].push(from);
        }
    }
    let mut places: Vec<Option<Place>> = vec![None; beside.len()];
    let mut top = MARGIN;
    let mut alone = Vec::new();
    // The best connected first: it is what its part is about.
    let mut order: Vec<usize> = (0..beside.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(beside[*at].len()), *at));
    for start in order {
        if places[start].is_some() {
            continue;
        }
        if beside[start].is_empty() {
            alone.push(start);
            continue;
        }
        top += draw_part(start, &beside, top, &mut places) + CELL.1;
    }
    // What is connected to nothing stands below, in rows.
    for (at, node) in alone.into_iter().enumerate() {
        let (column, row) = (at % COLUMNS, at / COLUMNS);
        places[node] =
            Some(Place { x: MARGIN + cells(column, CELL.0), y: top + cells(row, CELL.1) });
    }
    let corner = Place { x: MARGIN, y: MARGIN };
    places.into_iter().map(|place| place.unwrap_or(corner)).collect()
}

/// Nodes beside each other in a row of unconnected ones, and at most in a column.
const COLUMNS: usize = 5;
const COLUMN_MAX: usize = 14;

/// Draws everything that hangs together with a node; how much height that took.
fn draw_part(start: usize, beside: &[Vec<usize>], top: f64, places: &mut [Option<Place>]) -> f64 {
    let (mut column, mut tallest) = (0, 0);
    let mut front = vec![start];
    // A place stands for "already met" until the column is known.
    places[start] = Some(Place { x: 0.0, y: 0.0 });
    while !front.is_empty() {
        for part in front.chunks(COLUMN_MAX) {
            for (row, node) in part.iter().enumerate() {
                // Every second column is a little lower, so that lines do not run through boxes.
                let shift = if column % 2 == 1 { CELL.1 / 2.0 } else { 0.0 };
                places[*node] = Some(Place {
                    x: MARGIN + cells(column, CELL.0),
                    y: top + shift + cells(row, CELL.1),
                });
            }
            tallest = tallest.max(part.len());
            column += 1;
        }
        let mut next = Vec::new();
        for node in &front {
            for other in &beside[*node] {
                if places[*other].is_none() {
                    places[*other] = Some(Place { x: 0.0, y: 0.0 });
                    next.push(*other);
                }
            }
        }
        front = next;
    }
    cells(tallest, CELL.1)
}

#[expect(clippy::cast_precision_loss, reason = "a picture has few nodes")]
fn cells(count: usize, room: f64) -> f64 {
    count as f64 * room
}

/// How large the picture is.
pub(super) fn size(places: &[Place]) -> (f64, f64) {
    let most = |of: fn(&Place) -> f64| places.iter().map(of).fold(0.0, f64::max);
    (most(|place| place.x) + MARGIN, most(|place| place.y) + MARGIN)
}
