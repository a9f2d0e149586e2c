// What can be done to a memory: the buttons, their keys, and the dialogs that ask for words.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, Problem, send, sendTagged } from './api';
import { useKeys } from './keys';
import { go } from './router';
import { act, done, failed } from './toast';
import type { Changed, Memory } from './types';
import { Dialog } from './ui';
import * as words from './words';

type Asking = 'correct' | 'edit' | 'purge' | null;

interface Conflict {
  seen: Memory;
  wanted: string | null;
  current: Memory;
  again: () => Promise<void>;
}

const path = (id: string, verb: string) => `/memories/${encodeURIComponent(id)}/${verb}`;
const isAway = (memory: Memory) => memory.state === 'archived';
const isCurrent = (memory: Memory) => memory.state === 'confirmed' || memory.state === 'staged';

/** The row of actions of one memory. */
export function Actions({ memory, etag }: { memory: Memory; etag: string | null }): JSX.Element {
  const [asking, ask] = useState<Asking>(null);
  const [conflict, setConflict] = useState<Conflict | null>(null);

  // A write sends the version that was read; if it was changed meanwhile both are shown.
  // After a write of our own it is the version that the answer names, until the memory is read again.
  const version = useRef(etag);
  useEffect(() => {
    version.current = etag;
  }, [etag]);
  const write = async (text: string, verb: string | null, body: unknown, sent = version.current): Promise<Changed | null> => {
    const back = verb === 'correct' ? `/memories/${memory.id}` : undefined;
    const target = verb === null ? `/memories/${encodeURIComponent(memory.id)}` : path(memory.id, verb);
    try {
      const { body: answer, etag: now } = await sendTagged<Changed>(target, body, verb === null ? 'PATCH' : 'POST', sent);
      version.current = now;
      if (answer.batch === null) done('Nothing had to be changed');
      else done(text, answer.batch, back);
      return answer;
    } catch (error) {
      if (error instanceof Problem && error.code === 'changed_meanwhile') {
        const current = error.body.current as Memory;
        const wanted = (body as { content?: string }).content ?? null;
        setConflict({ seen: memory, wanted, current, again: async () => void (await write(text, verb, body, null)) });
      } else failed(error);
      return null;
    }
  };
  const confirm = () => void write('Confirmed', 'confirm', {});
  const pin = () => void write(memory.pinned ? 'Unpinned' : 'Pinned: it never expires', 'pin', { on: !memory.pinned });
  const archive = () => void (isAway(memory) ? write('Brought back', 'unarchive', {}) : write('Archived', 'archive', { reason: null }));
  const forget = () => void write('Forgotten: it is not told any more', 'forget', { reason: null });
  const current = isCurrent(memory);
  useKeys({
    ...(current && { c: confirm, x: () => ask('correct'), e: () => ask('edit'), p: pin, f: forget }),
    ...((current || isAway(memory)) && { a: archive }),
  });

  return (
    <div class="memory-actions" role="group" aria-label="What you can do">
      {current && <button class="button" type="button" onClick={confirm}>Confirm</button>}
      {current && <button class="button" type="button" onClick={() => ask('correct')}>Correct…</button>}
      {current && <button class="button" type="button" onClick={() => ask('edit')}>Edit…</button>}
      {current && <button class="button" type="button" aria-pressed={memory.pinned} onClick={pin}>{memory.pinned ? 'Pinned' : 'Pin'}</button>}
      {memory.state === 'superseded' && (
        <button class="button" type="button" onClick={() => void write('Current again', 'unsupersede', {})}>Make current again</button>
      )}
      {(current || isAway(memory)) && <button class="button" type="button" onClick={archive}>{isAway(memory) ? 'Bring back' : 'Archive'}</button>}
      {current && <button class="button danger" type="button" onClick={forget}>Forget</button>}
      <button class="button danger plain" type="button" onClick={() => ask('purge')}>Erase…</button>
      {asking === 'correct' && <Correct memory={memory} close={() => ask(null)} write={write} />}
      {asking === 'edit' && <Edit memory={memory} close={() => ask(null)} write={write} />}
      {asking === 'purge' && <Purge memory={memory} close={() => ask(null)} />}
      {conflict && <Changes conflict={conflict} close={() => setConflict(null)} />}
    </div>
  );
}

type Write = (text: string, verb: string | null, body: unknown) => Promise<Changed | null>;

function Form({ submit, name, danger, ready = true, close, children }: { submit: () => Promise<boolean>; name: string; danger?: boolean; ready?: boolean; close: () => void; children: ComponentChildren }): JSX.Element {
  const [busy, setBusy] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (busy || !ready) return;
        setBusy(true);
        void submit().then((ok) => (ok ? close() : setBusy(false)));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
      }}
    >
      {children}
      <div class="dialog-end">
        <button class="button" type="button" onClick={close}>Cancel</button>
        <button class={`button main ${danger ? 'danger' : ''}`} type="submit" disabled={busy || !ready}>{name}</button>
      </div>
    </form>
  );
}

function Correct({ memory, close, write }: { memory: Memory; close: () => void; write: Write }): JSX.Element {
  const [text, set] = useState(memory.content);
  const submit = async () => {
    const answer = await write('Corrected: the old version stays in its history', 'correct', { content: text.trim() });
    if (answer) go(`/memories/${answer.memory.id}`);
    return answer !== null;
  };
  return (
    <Dialog title="What is right?" close={close}>
      <Form submit={submit} name="Correct" ready={text.trim() !== '' && text.trim() !== memory.content} close={close}>
        <p class="soft">The new text replaces the old one from now on. The old one stays readable and is never told as true again.</p>
        <label class="labelled">
          The right text
          <textarea class="field" rows={4} value={text} onInput={(event) => set(event.currentTarget.value)} />
        </label>
      </Form>
    </Dialog>
  );
}

function Edit({ memory, close, write }: { memory: Memory; close: () => void; write: Write }): JSX.Element {
  const [text, setText] = useState(memory.content);
  const [kind, setKind] = useState(memory.kind);
  const [tags, setTags] = useState(memory.tags.join(', '));
  const [importance, setImportance] = useState(memory.importance);
  const submit = async () => {
    const body: Record<string, unknown> = {};
    if (text.trim() !== memory.content) body.content = text.trim();
    if (kind !== memory.kind) body.kind = kind;
    if (importance !== memory.importance) body.importance = importance;
    const wanted = tags.split(',').map((tag) => tag.trim()).filter(Boolean);
    const add = wanted.filter((tag) => !memory.tags.includes(tag));
    const remove = memory.tags.filter((tag) => !wanted.includes(tag));
    let ok = true;
    if (0 < Object.keys(body).length) ok = (await write('Changed', null, body)) !== null;
    if (ok && 0 < add.length + remove.length) {
      ok = (await act('Labels changed', () => send<Changed>(path(memory.id, 'tags'), { add, remove }))) !== null;
    }
    return ok;
  };
  return (
    <Dialog title="Edit" close={close}>
      <Form submit={submit} name="Save" ready={text.trim() !== ''} close={close}>
        <p class="soft">For wording and properties. If the fact itself changed, correct it instead.</p>
        <label class="labelled">
          Wording
          <textarea class="field" rows={3} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <div class="form-row">
          <label class="labelled">
            Kind
            <select class="field" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              {words.KINDS.map((name) => <option key={name} value={name}>{words.kind(name)}</option>)}
            </select>
          </label>
          <label class="labelled">
            Importance <span class="hint num">{importance.toFixed(2)}</span>
            <input type="range" min="0" max="1" step="0.05" value={importance} onInput={(event) => setImportance(Number(event.currentTarget.value))} />
          </label>
        </div>
        <label class="labelled">
          Tags
          <input class="field" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
          <span class="hint">Separated by commas</span>
        </label>
      </Form>
    </Dialog>
  );
}

interface Doomed {
  memories: { id: string; content: string }[];
  turns: { id: string; speaker: string; text: string }[];
}

function Purge({ memory, close }: { memory: Memory; close: () => void }): JSX.Element {
  const [chain, setChain] = useState(false);
  const [typed, setTyped] = useState('');
  const [doomed, setDoomed] = useState<Doomed | null>(null);
  const code = words.short(memory.id);
  useEffect(() => {
    get<Doomed>(path(memory.id, 'purge'), { chain }).then(setDoomed, failed);
  }, [memory.id, chain]);
  const submit = async () => {
    // Away first: the change is heard of before the answer is there, and nothing is left to show.
    go('/memories');
    try {
      const gone = await send<{ purged: number; episodes: number }>(path(memory.id, 'purge'), { confirm: typed.trim(), chain });
      done(`Erased ${words.plural(gone.purged, 'memory', 'memories')} and ${words.plural(gone.episodes, 'turn')} for good`);
    } catch (error) {
      failed(error);
      go(`/memories/${memory.id}`);
    }
    return true;
  };
  return (
    <Dialog title="Erase for good" close={close}>
      <Form submit={submit} name="Erase for good" danger ready={typed.trim() === code} close={close}>
        <p>This cannot be undone. To stop it from being told, <strong>Forget</strong> is enough.</p>
        {doomed && (
          <div class="doomed">
            <p class="small quiet">
              {words.plural(doomed.memories.length, 'memory', 'memories')} and {words.plural(doomed.turns.length, 'turn')} will be erased, with their versions in the log:
            </p>
            <ul>
              {doomed.memories.map((one) => <li key={one.id} class="stored">{one.content}</li>)}
              {doomed.turns.map((one) => <li key={one.id} class="stored soft">“{one.text}”</li>)}
            </ul>
          </div>
        )}
        <label>
          <input type="checkbox" checked={chain} onChange={() => setChain(!chain)} /> Also everything it replaced and was replaced by
        </label>
        <label class="labelled">
          <span>Type <code>{code}</code> to confirm</span>
          <input class="field mono" autocomplete="off" spellcheck={false} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        </label>
      </Form>
    </Dialog>
  );
}

function Changes({ conflict, close }: { conflict: Conflict; close: () => void }): JSX.Element {
  return (
    <Dialog title="It was changed meanwhile" close={close}>
      <p class="soft">Somebody else changed this memory after you opened it. Nothing of yours was written yet.</p>
      <h3>You saw</h3>
      <p class="stored">{conflict.seen.content}</p>
      <h3>It says now</h3>
      <p class="stored">{conflict.current.content}</p>
      {conflict.wanted && <><h3>You wanted</h3><p class="stored">{conflict.wanted}</p></>}
      <div class="dialog-end">
        <button class="button" type="button" onClick={close}>Leave it as it is now</button>
        <button class="button main" type="button" onClick={() => { close(); void conflict.again(); }}>Do it anyway</button>
      </div>
    </Dialog>
  );
}

/** Asks for a new memory. */
export function Remember({ close }: { close: () => void }): JSX.Element {
  const [text, setText] = useState('');
  const [kind, setKind] = useState('');
  const [because, setBecause] = useState('');
  const [tags, setTags] = useState('');
  const submit = async () => {
    try {
      const answer = await send<Changed & { deduped: boolean; redacted: number }>('/memories', {
        content: text.trim(),
        kind: kind || null,
        tags: tags.split(',').map((tag) => tag.trim()).filter(Boolean),
        because: because.trim() ? [because.trim()] : [],
      });
      done(answer.deduped ? 'Known already: the evidence was added' : answer.redacted ? 'Remembered, without the secret in it' : 'Remembered', answer.batch, answer.deduped ? undefined : '/memories');
      go(`/memories/${answer.memory.id}`);
      return true;
    } catch (error) {
      failed(error);
      return false;
    }
  };
  return (
    <Dialog title="Remember something" close={close}>
      <Form submit={submit} name="Remember" ready={text.trim() !== ''} close={close}>
        <label class="labelled">
          What should be known?
          <textarea class="field" rows={3} placeholder="Staging runs Postgres 16" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label class="labelled">
          Because
          <input class="field" value={because} onInput={(event) => setBecause(event.currentTarget.value)} />
          <span class="hint">Optional. A decision with its reason says when to think again.</span>
        </label>
        <div class="form-row">
          <label class="labelled">
            Kind
            <select class="field" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
              <option value="">from its words</option>
              {words.KINDS.map((name) => <option key={name} value={name}>{words.kind(name)}</option>)}
            </select>
          </label>
          <label class="labelled">
            Tags
            <input class="field" value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
          </label>
        </div>
      </Form>
    </Dialog>
  );
}
