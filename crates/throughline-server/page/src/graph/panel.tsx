// What is known of the chosen node, and its neighbours, which can be walked by keyboard.

import type Graph from 'graphology';
import type { JSX } from 'preact';
import type { GraphNode } from '../types';
import { Icon, Kind } from '../ui';
import * as words from '../words';
import type { Shown } from './build';

interface PanelProps {
  graph: Graph<Shown>;
  node: GraphNode;
  choose: (id: string | null) => void;
  focus: () => void;
}

export function Panel({ graph, node, choose, focus }: PanelProps): JSX.Element {
  const neighbours: { id: string; relation: string; outward: boolean; node: GraphNode }[] = [];
  graph.forEachEdge(node.id, (_, attributes, from, to) => {
    const outward = from === node.id;
    const id = outward ? to : from;
    neighbours.push({ id, relation: String(attributes.relation), outward, node: graph.getNodeAttributes(id).node });
  });
  return (
    <section class="card graph-panel" aria-label="Chosen point">
      <header class="panel-head">
        <Kind name={node.type === 'memory' ? node.kind : 'entity'} />
        {node.type === 'entity' && <span class="small quiet">{node.kind}</span>}
        {node.state && node.state !== 'confirmed' && <span class="pill">{words.state(node.state)}</span>}
        <button class="button plain icon-only" type="button" aria-label="Close" onClick={() => choose(null)}><Icon name="close" /></button>
      </header>
      <h2 class="stored">{node.label}</h2>
      <div class="chips">
        {node.type === 'memory' && <a class="button" href={`/memories/${node.id}`}>Open</a>}
        {node.type === 'entity' && <a class="button" href={`/known?about=${encodeURIComponent(node.label)}`}>What is known of it</a>}
        {node.type === 'memory' && <button class="button" type="button" onClick={focus}>Only around this</button>}
      </div>
      <p class="small quiet num">{words.plural(neighbours.length, 'connection')}</p>
      <ul class="plain-rows">
        {neighbours.slice(0, 60).map((one) => (
          <li key={`${one.relation} ${one.id} ${one.outward}`}>
            <button type="button" class="queue-row" onClick={() => choose(one.id)}>
              <span class="small quiet">{words.relation(one.relation, one.outward)}</span>
              <span class="stored clamp">{one.node.label}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
