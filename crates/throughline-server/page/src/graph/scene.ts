// Sigma with our looks: what is lit, what is dimmed, what is hidden.

import type Graph from 'graphology';
import Sigma from 'sigma';
import { NodePointProgram } from 'sigma/rendering';
import type { Attributes } from 'graphology-types';
import { matrices } from './build';
import type { Shown } from './build';
import { clusterColour, readColours } from './colours';
import type { Task } from './layout.worker';

/** What the person chose to see. */
export interface Wishes {
  colour: 'kind' | 'cluster';
  hiddenKinds: Set<string>;
  found: Set<string> | null;
  chosen: string | null;
  /** Nodes that came later are hidden; null shows all. */
  until: number | null;
}

export interface Scene {
  wish: (wishes: Wishes) => void;
  fly: (id: string) => void;
  zoom: (by: number) => void;
  fit: () => void;
  recolour: () => void;
  places: () => Map<string, [number, number]>;
  end: () => void;
}

/** Left, top, right, bottom. */
type Box = [number, number, number, number];

interface Label {
  x: number;
  y: number;
  size: number;
  label: string | null;
  color: string;
}

/** Up to so many points, each has its label, as far as there is room. */
const FEW = 40;
/** From so many points on, less is drawn while the picture moves. */
const MANY = 3000;

/** Points as squares of the graphics card, drawn once: who is under the pointer is computed, not read from a second drawing. */
class Point extends NodePointProgram {
  constructor(context: WebGLRenderingContext, _picking: WebGLFramebuffer | null, renderer: Sigma) {
    super(context, null, renderer);
  }
}

const kindOf = (shown: Shown) => (shown.node.type === 'memory' ? shown.node.kind : 'entity');

/** Shows a graph in an element. Throws where the browser cannot draw with WebGL. */
export function show(element: HTMLElement, graph: Graph<Shown>, first: Wishes, choose: (id: string | null) => void, arranged: (share: number) => void): Scene {
  let colours = readColours();
  let wishes = first;
  let hovered: string | null = null;
  let near = new Set<string>();
  const cut = (text: string) => (48 < text.length ? `${text.slice(0, 46)}…` : text);
  const isLit = (id: string) => {
    const centre = hovered ?? wishes.chosen;
    if (centre) return id === centre || near.has(id);
    return wishes.found ? wishes.found.has(id) : true;
  };
  const isHidden = (shown: Shown) => wishes.hiddenKinds.has(kindOf(shown)) || (wishes.until !== null && wishes.until < shown.at);
  const paint = (shown: Shown) =>
    wishes.colour === 'cluster' ? clusterColour(shown.cluster, colours.dark) : (colours.kinds[kindOf(shown)] ?? colours.quiet);

  const drawHover = (context: CanvasRenderingContext2D, data: Label) => {
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, Math.PI * 2);
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.stroke();
    if (!data.label) return;
    context.font = '500 12px Inter, system-ui, sans-serif';
    const text = cut(data.label);
    const width = context.measureText(text).width;
    const left = data.x + data.size + 6;
    context.fillStyle = colours.back;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(left, data.y - 11, width + 14, 22, 5);
    context.fill();
    context.stroke();
    context.fillStyle = colours.ink;
    context.fillText(text, left + 7, data.y + 4);
  };
  // The places of the labels that this drawing has already: no two lie over each other.
  let taken: Box[] = [];
  const drawLabel = (context: CanvasRenderingContext2D, data: Label) => {
    if (!data.label) return;
    context.font = '12px Inter, system-ui, sans-serif';
    context.lineWidth = 3;
    context.strokeStyle = colours.back;
    context.lineJoin = 'round';
    const text = cut(data.label);
    const width = context.measureText(text).width;
    const places: [number, number][] = [
      [data.x + data.size + 4, data.y + 4], [data.x - data.size - 4 - width, data.y + 4],
      [data.x - width / 2, data.y + data.size + 14], [data.x - width / 2, data.y - data.size - 5],
    ];
    const boxes = places.map(([x, y]): Box => [x, y - 11, x + width, y + 3]);
    const inside = (box: Box) => 0 <= box[0] && box[2] <= element.clientWidth;
    const free = boxes.filter((box) => !taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]));
    const box = free.find(inside) ?? free[0];
    if (!box) return;
    taken.push(box);
    context.strokeText(text, box[0], box[3] - 3);
    context.fillStyle = colours.ink;
    context.fillText(text, box[0], box[3] - 3);
  };
  const sigma = new Sigma(graph as unknown as Graph, element, {
    allowInvalidContainer: true,
    defaultEdgeColor: colours.edge,
    labelDensity: element.clientWidth < 600 ? 0.3 : 0.6,
    labelGridCellSize: 130,
    labelRenderedSizeThreshold: graph.order < 400 ? 3 : 5,
    hideEdgesOnMove: MANY < graph.size,
    hideLabelsOnMove: MANY < graph.order,
    nodeProgramClasses: { circle: Point },
    zIndex: true,
    stagePadding: element.clientWidth < 900 ? 50 : 120,
    minCameraRatio: 0.02,
    maxCameraRatio: 4,
    defaultDrawNodeLabel: drawLabel as never,
    defaultDrawNodeHover: drawHover as never,
    nodeReducer: (id, attributes) => {
      const shown = attributes as Shown;
      const result: Attributes = { x: shown.x, y: shown.y, size: shown.size, label: shown.label, color: paint(shown), zIndex: 1 };
      if (isHidden(shown)) return { ...result, hidden: true };
      if (!isLit(id)) return { ...result, color: colours.edge, label: null, zIndex: 0 };
      if (shown.node.state && shown.node.state !== 'confirmed' && shown.node.state !== 'staged') result.color = colours.quiet;
      if (id === wishes.chosen || graph.order < FEW || (wishes.found && wishes.found.size < FEW)) result.forceLabel = true;
      if (id === wishes.chosen) result.highlighted = true;
      return result;
    },
    edgeReducer: (edge, attributes) => {
      const [from, to] = graph.extremities(edge);
      const centre = hovered ?? wishes.chosen;
      const result: Attributes = { size: attributes.size, color: colours.edge };
      if (attributes.relation === 'contradicts') result.color = colours.kinds.negative;
      if (centre) {
        if (from !== centre && to !== centre) return { ...result, hidden: true };
        result.color = colours.accent;
        result.size = 1.4;
      }
      return result;
    },
  });
  pickByPlace(sigma);
  sigma.on('beforeRender', () => { taken = []; });
  const again = () => sigma.refresh({ skipIndexation: true });
  const light = () => {
    const centre = hovered ?? wishes.chosen;
    near = new Set(centre && graph.hasNode(centre) ? graph.neighbors(centre) : []);
    again();
  };
  sigma.on('enterNode', ({ node }) => { hovered = node; element.classList.add('on-node'); light(); });
  sigma.on('leaveNode', () => { hovered = null; element.classList.remove('on-node'); light(); });
  sigma.on('clickNode', ({ node }) => choose(node));
  sigma.on('clickStage', () => choose(null));
  const layout = arrange(graph, (share) => {
    // A few points far out must not make the rest tiny.
    if (400 < graph.order) sigma.setCustomBBox(middle(graph));
    arranged(share);
  });
  const camera = sigma.getCamera();
  light();
  return {
    wish: (next) => { wishes = next; light(); },
    fly: (id) => {
      const at = sigma.getNodeDisplayData(id);
      if (at) void camera.animate({ x: at.x, y: at.y, ratio: Math.min(camera.ratio, 0.35) }, { duration: 350 });
    },
    zoom: (by) => void (0 < by ? camera.animatedZoom({ duration: 160 }) : camera.animatedUnzoom({ duration: 160 })),
    fit: () => void camera.animatedReset({ duration: 250 }),
    recolour: () => { colours = readColours(); light(); },
    places: () => new Map(graph.mapNodes((id, shown) => [id, [shown.x, shown.y]])),
    end: () => { layout.terminate(); sigma.kill(); },
  };
}

/** Finds the point under the pointer by its place. Reading it back from the graphics card would wait for every drawing. */
function pickByPlace(sigma: Sigma): void {
  const inner = sigma as unknown as {
    pickingLayers: Set<string>;
    nodeDataCache: Record<string, { x: number; y: number; size: number; hidden?: boolean; zIndex: number }>;
    getNodeAtPosition: (at: { x: number; y: number }) => string | null;
  };
  inner.pickingLayers.clear();
  inner.getNodeAtPosition = ({ x, y }) => {
    const here = sigma.viewportToFramedGraph({ x, y });
    const beside = sigma.viewportToFramedGraph({ x: x + 1, y });
    const pixel = Math.hypot(beside.x - here.x, beside.y - here.y);
    let best: string | null = null;
    let nearest = Infinity;
    for (const id in inner.nodeDataCache) {
      const node = inner.nodeDataCache[id];
      if (!node || node.hidden) continue;
      const away = Math.hypot(node.x - here.x, node.y - here.y) / pixel;
      if (away <= sigma.scaleSize(node.size) && away < nearest) [best, nearest] = [id, away];
    }
    return best;
  };
}

/** The box that holds all but the outermost points. */
function middle(graph: Graph<Shown>): { x: [number, number]; y: [number, number] } {
  const span = (values: number[]): [number, number] => {
    values.sort((a, b) => a - b);
    const cut = Math.floor(values.length / 100);
    return [values[cut] ?? 0, values[values.length - 1 - cut] ?? 1];
  };
  return { x: span(graph.mapNodes((_, shown) => shown.x)), y: span(graph.mapNodes((_, shown) => shown.y)) };
}

function arrange(graph: Graph<Shown>, arranged: (share: number) => void): { terminate: () => void } {
  const { nodes, edges, order } = matrices(graph);
  const worker = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
  const steps = graph.order < 300 ? 400 : graph.order < 3000 ? 250 : 120;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  worker.onmessage = (event: MessageEvent<{ positions: Float32Array; share: number }>) => {
    const { positions, share } = event.data;
    if (!calm || share === 1) {
      order.forEach((id, at) => {
        const shown = graph.getNodeAttributes(id);
        shown.x = positions[at * 2] as number;
        shown.y = positions[at * 2 + 1] as number;
      });
      graph.emit('eachNodeAttributesUpdated', { hints: { attributes: ['x', 'y'] } });
    }
    arranged(share);
    if (share === 1) worker.terminate();
  };
  worker.postMessage({ nodes, edges, steps } satisfies Task, [nodes.buffer, edges.buffer]);
  return worker;
}
