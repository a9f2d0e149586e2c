// Turns the server's nodes and edges into a graph with colours, sizes and a first arrangement.

import Graph from 'graphology';
import type { GraphData, GraphNode } from '../types';

export interface Shown {
  x: number;
  y: number;
  size: number;
  label: string;
  color: string;
  node: GraphNode;
  cluster: number;
  at: number;
}

const PASSES = 12;

/** Groups nodes that are densely connected: each takes the label most of its neighbours have. */
export function clusters(graph: Graph): Map<string, number> {
  const label = new Map<string, string>();
  const order = graph.nodes().sort();
  for (const node of order) label.set(node, node);
  for (let pass = 0; pass < PASSES; pass += 1) {
    let moved = 0;
    for (const node of order) {
      const votes = new Map<string, number>();
      graph.forEachNeighbor(node, (neighbour) => {
        const name = label.get(neighbour) as string;
        // A hub connects what has little to do with each other, so it counts less.
        const weight = 1 / Math.sqrt(graph.degree(neighbour));
        votes.set(name, (votes.get(name) ?? 0) + weight);
      });
      let best = label.get(node) as string;
      let most = votes.get(best) ?? 0;
      for (const [name, count] of votes) {
        if (most < count || (most === count && name < best)) [best, most] = [name, count];
      }
      if (best !== label.get(node)) {
        label.set(node, best);
        moved += 1;
      }
    }
    if (moved === 0) break;
  }
  const sizes = new Map<string, number>();
  for (const name of label.values()) sizes.set(name, (sizes.get(name) ?? 0) + 1);
  const ranked = [...sizes].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  const rank = new Map(ranked.map((name, at) => [name, at]));
  return new Map(order.map((node) => [node, rank.get(label.get(node) as string) as number]));
}

/** More connections make a larger point; in a crowd all are smaller. */
function sizeOf(degree: number, total: number): number {
  const crowd = total < 400 ? 1 : total < 3000 ? 0.6 : 0.4;
  return Math.min(18, (5 + Math.sqrt(degree) * 2.2) * crowd);
}

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** A point of a spiral that fills a disc evenly. */
function spiral(at: number, spread: number): [number, number] {
  const radius = spread * Math.sqrt(at + 0.5);
  return [radius * Math.cos(at * GOLDEN), radius * Math.sin(at * GOLDEN)];
}

/** Builds the graph. Nodes that were shown before keep their places. */
export function build(data: GraphData, before: Map<string, [number, number]>): Graph<Shown> {
  const graph = new Graph<Shown>({ type: 'directed', multi: false, allowSelfLoops: false });
  for (const node of data.nodes) {
    if (graph.hasNode(node.id)) continue;
    const at = node.at ? Date.parse(node.at) : 0;
    graph.addNode(node.id, { x: 0, y: 0, size: 3, label: node.label, color: '#888888', node, cluster: 0, at });
  }
  for (const edge of data.edges) {
    if (edge.from === edge.to || !graph.hasNode(edge.from) || !graph.hasNode(edge.to) || graph.hasDirectedEdge(edge.from, edge.to)) continue;
    graph.addDirectedEdge(edge.from, edge.to, { relation: edge.relation, weight: edge.weight, size: edge.relation === 'supersedes' ? 1.6 : 0.8 });
  }
  // A thing has no time of its own: it is there since the first memory that names it.
  graph.forEachNode((id, shown) => {
    if (shown.node.type === 'entity' && shown.at === 0) {
      const times = graph.mapNeighbors(id, (_, other) => other.at).filter((at) => 0 < at);
      if (0 < times.length) graph.setNodeAttribute(id, 'at', Math.min(...times));
    }
  });
  const group = clusters(graph as unknown as Graph);
  const members = new Map<number, number>();
  const total = Math.max(1, graph.order);
  for (const id of graph.nodes()) {
    const cluster = group.get(id) ?? 0;
    const index = members.get(cluster) ?? 0;
    members.set(cluster, index + 1);
    const kept = before.get(id);
    const centre = spiral(cluster, Math.sqrt(total) * 3);
    const inner = spiral(index, 4);
    graph.mergeNodeAttributes(id, {
      cluster,
      x: kept ? kept[0] : centre[0] + inner[0],
      y: kept ? kept[1] : centre[1] + inner[1],
      size: sizeOf(graph.degree(id), graph.order),
    });
  }
  return graph;
}

const NODE_FIELDS = 10;

/** The matrices that the layout works on. */
export function matrices(graph: Graph<Shown>): { nodes: Float32Array; edges: Float32Array; order: string[] } {
  const order = graph.nodes();
  const place = new Map(order.map((id, at) => [id, at]));
  const nodes = new Float32Array(order.length * NODE_FIELDS);
  order.forEach((id, at) => {
    const { x, y, size } = graph.getNodeAttributes(id);
    nodes.set([x, y, 0, 0, 0, 0, 1 + graph.degree(id), 1, size, 0], at * NODE_FIELDS);
  });
  const edges = new Float32Array(graph.size * 3);
  graph.edges().forEach((edge, at) => {
    const [from, to] = graph.extremities(edge);
    edges.set([(place.get(from) as number) * NODE_FIELDS, (place.get(to) as number) * NODE_FIELDS, 1], at * 3);
  });
  return { nodes, edges, order };
}
