// Arranges the graph beside the page, so that the page stays responsive with ten thousand nodes.

import iterate from 'graphology-layout-forceatlas2/iterate.js';

/** What is arranged: flat matrices as ForceAtlas2 wants them, and how many steps. */
export interface Task {
  nodes: Float32Array;
  edges: Float32Array;
  steps: number;
}

const port = self as unknown as { onmessage: (event: MessageEvent<Task>) => void; postMessage: (message: unknown) => void };
const NODE_FIELDS = 10;
/** How often the page hears of it. Many points take it long to take in, so it hears less often. */
const REPORT_MS = 80;
const REPORT_MANY_MS = 700;
const MANY = 3000;

function positions(nodes: Float32Array): Float32Array {
  const count = nodes.length / NODE_FIELDS;
  const flat = new Float32Array(count * 2);
  for (let at = 0; at < count; at += 1) {
    flat[at * 2] = nodes[at * NODE_FIELDS] as number;
    flat[at * 2 + 1] = nodes[at * NODE_FIELDS + 1] as number;
  }
  return flat;
}

port.onmessage = (event: MessageEvent<Task>) => {
  const { nodes, edges, steps } = event.data;
  const count = nodes.length / NODE_FIELDS;
  const settings = {
    // With many points, groups stand out better when only the logarithm of a distance pulls.
    linLogMode: 400 < count,
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 0.5,
    scalingRatio: count < 400 ? 6 : 1,
    strongGravityMode: false,
    // Pieces that nothing connects would drift apart: the fewer there are, the closer they are held.
    gravity: count < 400 ? 8 : 0.4,
    slowDown: 1 + Math.log(Math.max(2, count)),
    barnesHutOptimize: 300 < count,
    barnesHutTheta: 0.7,
  };
  const every = count < MANY ? REPORT_MS : REPORT_MANY_MS;
  let reported = performance.now();
  for (let step = 0; step < steps; step += 1) {
    iterate(settings, nodes, edges);
    const now = performance.now();
    if (every < now - reported) {
      reported = now;
      port.postMessage({ positions: positions(nodes), share: step / steps });
    }
  }
  port.postMessage({ positions: positions(nodes), share: 1 });
};
