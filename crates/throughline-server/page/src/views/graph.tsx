// Graph: loads its part of the program only when it is opened.

import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Place } from '../router';
import { Loading } from '../ui';

export function GraphView({ place }: { place: Place }): JSX.Element {
  const [Show, set] = useState<FunctionComponent<{ place: Place }> | null>(null);
  useEffect(() => {
    void import('../graph/canvas').then((part) => set(() => part.GraphCanvas));
  }, []);
  return Show ? <Show place={place} /> : <div class="page"><Loading /></div>;
}
