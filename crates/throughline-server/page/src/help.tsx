// The keys, in one dialog.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { enableKeys, keysEnabled } from './keys';
import { Dialog } from './ui';

const GROUPS: [string, [string, string][]][] = [
  ['Go to', [
    ['g t', 'Today'], ['g k', 'Known'], ['g m', 'Memories'], ['g r', 'Review'], ['g o', 'Told'],
    ['g y', 'Try'], ['g l', 'Timeline'], ['g g', 'Graph'], ['g h', 'Health'],
  ]],
  ['Anywhere', [['/', 'Search'], ['j k', 'Next and previous in a list'], ['Enter', 'Open'], ['Esc', 'Close or go back'], ['u', 'Undo what was just done'], ['d', 'Light or dark'], ['?', 'This help']]],
  ['On a memory', [['c', 'Confirm'], ['x', 'Correct'], ['e', 'Edit'], ['p', 'Pin or unpin'], ['a', 'Archive'], ['f', 'Forget']]],
  ['In Review', [['y', 'Still true, or accept'], ['n', 'No longer true, or reject'], ['1 2', 'Keep the first or the second'], ['b', 'Keep both'], ['l', 'Later']]],
];

export function Help({ close }: { close: () => void }): JSX.Element {
  const [on, set] = useState(keysEnabled());
  return (
    <Dialog title="Keys" close={close}>
      {GROUPS.map(([name, keys]) => (
        <section key={name}>
          <h3>{name}</h3>
          <dl class="keys">
            {keys.map(([key, what]) => (
              <div key={key}>
                <dt>{key.split(' ').map((one) => <kbd key={one}>{one}</kbd>)}</dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <p class="section">
        <label>
          <input type="checkbox" checked={on} onChange={() => { enableKeys(!on); set(!on); }} /> Act on single keys
        </label>
      </p>
      <div class="dialog-end">
        <button class="button main" type="button" onClick={close}>Close</button>
      </div>
    </Dialog>
  );
}
