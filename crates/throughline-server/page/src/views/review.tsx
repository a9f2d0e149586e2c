// Review: what waits for a decision, one at a time, one key for each decision.

import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { send, useGet } from '../api';
import { useKeys } from '../keys';
import { act } from '../toast';
import type { Changed, Graduation, Memory, Pending, Review, ToVerify } from '../types';
import { Empty, Failure, Loading, Meta, PageHead, When, Write } from '../ui';
import * as words from '../words';
import { Lines } from './bindings';
import { EvidenceList } from './evidence';

interface Choice {
  key: string;
  name: string;
  main?: boolean;
  danger?: boolean;
  decide: () => void;
}

interface Item {
  id: string;
  title: string;
  brief: string;
  body: ComponentChildren;
  choices: Choice[];
}

type Skip = (id: string) => void;
type AskMerge = (pair: { a: Memory; b: Memory }) => void;

const decide = (text: string, body: Record<string, unknown>) => act(text, () => send<Review>('/review', body) as Promise<Review & { batch?: string | null }>);
const rule = (id: string, outcome: string, text: string) =>
  act(text, () => send<Changed>(`/memories/${id}/verify`, { outcome, evidence: null }));

function verifyItem(item: ToVerify, skip: Skip): Item {
  const memory = item.memory;
  const mark = memory.watermarks.find((one) => one.status === 'moved' && one.then);
  return {
    id: `verify ${memory.id}`,
    title: 'Is this still true?',
    brief: memory.content,
    body: (
      <>
        <Claim memory={memory} />
        {mark ? (
          <>
            <p class="small soft">It was noted when <code class="stored">{mark.target}</code> said something else:</p>
            <Lines then={mark.then ?? ''} now={mark.now ?? ''} />
          </>
        ) : <p class="soft stored">It was {item.then}; it is now {item.now}.</p>}
      </>
    ),
    choices: [
      { key: 'y', name: 'Still true', main: true, decide: () => void rule(memory.id, 'confirmed', 'Still true: recorded as it is now') },
      { key: 'n', name: 'No longer true', danger: true, decide: () => void rule(memory.id, 'refuted', 'No longer true: taken back, and a lesson is kept') },
      { key: 'l', name: 'Later', decide: () => skip(`verify ${memory.id}`) },
    ],
  };
}

function pairItem(pair: { a: Memory; b: Memory }, skip: Skip, merge: AskMerge): Item {
  const id = `${pair.a.id}/${pair.b.id}`;
  return {
    id: `pair ${id}`,
    title: 'Which of the two holds?',
    brief: `${pair.a.content} / ${pair.b.content}`,
    body: (
      <div class="pair">
        <div><span class="pair-number">1</span><Claim memory={pair.a} /><EvidenceList evidence={pair.a.evidence.slice(-1)} /></div>
        <div><span class="pair-number">2</span><Claim memory={pair.b} /><EvidenceList evidence={pair.b.evidence.slice(-1)} /></div>
      </div>
    ),
    choices: [
      { key: '1', name: 'Keep the first', main: true, decide: () => void decide('The first was kept', { decision: 'keep_a', id }) },
      { key: '2', name: 'Keep the second', main: true, decide: () => void decide('The second was kept', { decision: 'keep_b', id }) },
      { key: 'b', name: 'Both hold', decide: () => void decide('Both were kept', { decision: 'both', id }) },
      { key: 'm', name: 'Write one text', decide: () => merge(pair) },
      { key: 'l', name: 'Later', decide: () => { skip(`pair ${id}`); void decide('Put off', { decision: 'later', id }); } },
    ],
  };
}

function pendingItem(item: Pending, skip: Skip): Item {
  return {
    id: `pending ${item.id}`,
    title: 'Should this be written?',
    brief: item.says,
    body: (
      <>
        <p class="claim-text stored">{item.says}</p>
        <div class="meta"><span class="soft">{words.authority(item.authority)}</span><When at={item.at} /></div>
        {item.why && <p class="soft stored">{item.why}</p>}
        {item.stuck && <p class="notice"><span class="stored">{item.stuck}</span></p>}
      </>
    ),
    choices: [
      { key: 'y', name: 'Accept', main: true, decide: () => void decide('Accepted', { decision: 'accept', id: item.id }) },
      { key: 'n', name: 'Reject', danger: true, decide: () => void decide('Rejected', { decision: 'reject', id: item.id }) },
      { key: 'l', name: 'Later', decide: () => skip(`pending ${item.id}`) },
    ],
  };
}

function graduationItem(item: Graduation, skip: Skip): Item {
  return {
    id: `graduation ${item.id}`,
    title: 'Write this into the project?',
    brief: item.file,
    body: (
      <>
        <p class="soft">It proved itself in several sessions. Accepted, this line is written to <code class="stored">{item.file}</code>, where every agent reads it.</p>
        <pre class="block">{item.diff}</pre>
      </>
    ),
    choices: [
      { key: 'y', name: 'Write it', main: true, decide: () => void decide('Written', { decision: 'accept', id: item.id }) },
      { key: 'n', name: 'Do not', danger: true, decide: () => void decide('Rejected', { decision: 'reject', id: item.id }) },
      { key: 'l', name: 'Later', decide: () => skip(`graduation ${item.id}`) },
    ],
  };
}

function gapItem(memory: Memory, skip: Skip, answer: (memory: Memory) => void): Item {
  return {
    id: `gap ${memory.id}`,
    title: 'Can you answer this?',
    brief: memory.content,
    body: <Claim memory={memory} />,
    choices: [
      { key: 'y', name: 'Answer', main: true, decide: () => answer(memory) },
      { key: 'n', name: 'Not needed', danger: true, decide: () => void decide('Put away', { decision: 'reject', id: memory.id }) },
      { key: 'l', name: 'Later', decide: () => skip(`gap ${memory.id}`) },
    ],
  };
}

function Claim({ memory }: { memory: Memory }): JSX.Element {
  return (
    <>
      <p class="claim-text stored"><a href={`/memories/${memory.id}`}>{memory.content}</a></p>
      <Meta memory={memory} />
    </>
  );
}

export function ReviewView(): JSX.Element {
  const review = useGet<Review>('/review');
  const [skipped, setSkipped] = useState<string[]>([]);
  const [writing, setWriting] = useState<{ title: string; start: string; save: (text: string) => void } | null>(null);
  const skip: Skip = (id) => setSkipped((old) => [...old.filter((one) => one !== id), id]);
  const merge: AskMerge = (pair) =>
    setWriting({
      title: 'One text for both',
      start: pair.b.content,
      save: (text) => void decide('Both were replaced by one', { decision: 'merge', id: `${pair.a.id}/${pair.b.id}`, text }),
    });
  const answer = (memory: Memory) =>
    setWriting({ title: 'The answer', start: '', save: (text) => void decide('Answered', { decision: 'accept', id: memory.id, text }) });
  const data = review.data;
  const items = !data ? [] : [
    ...data.verify.map((one) => verifyItem(one, skip)),
    ...data.contested.map((one) => pairItem(one, skip, merge)),
    ...data.pending.map((one) => pendingItem(one, skip)),
    ...data.graduation.map((one) => graduationItem(one, skip)),
    ...data.gaps.map((one) => gapItem(one, skip, answer)),
  ];
  const order = (item: Item) => skipped.indexOf(item.id);
  items.sort((a, b) => order(a) - order(b));
  const [chosen, choose] = useState<string | null>(null);
  const item = items.find((one) => one.id === chosen) ?? items[0];
  useEffect(() => {
    if (chosen && !items.some((one) => one.id === chosen)) choose(null);
  });
  const step = (by: number) => {
    const at = items.findIndex((one) => one === item);
    choose(items[Math.max(0, Math.min(items.length - 1, at + by))]?.id ?? null);
  };
  const decided = (choice: Choice) => () => {
    choose(null);
    choice.decide();
  };
  useKeys({ j: () => step(1), k: () => step(-1), ...Object.fromEntries((item?.choices ?? []).map((one) => [one.key, decided(one)])) });
  return (
    <div class="page wide">
      <PageHead title="Review" sub={data ? (items.length === 0 ? 'Nothing waits for you' : `${words.plural(items.length, 'decision')} to make`) : ' '} />
      {review.error && <Failure problem={review.error} again={review.reload} />}
      {!data && !review.error && <Loading />}
      {data && items.length === 0 && (
        <div class="card"><Empty title="All decided">
          <p>Things come here when a file changes under a memory, when two memories contradict each other, or when an agent proposes something that only you may decide.</p>
        </Empty></div>
      )}
      {item && (
        <div class="review">
          <section class="card review-card" aria-label="Decision">
            <h2>{item.title}</h2>
            <div class="review-body">{item.body}</div>
            <div class="review-choices">
              {item.choices.map((one) => (
                <button key={one.key} class={`button ${one.main ? 'main' : ''} ${one.danger ? 'danger' : ''}`} type="button" onClick={decided(one)}>
                  {one.name} <kbd>{one.key}</kbd>
                </button>
              ))}
            </div>
          </section>
          {1 < items.length && (
            <nav class="review-queue" aria-label="Waiting decisions">
              <ol>
                {items.slice(0, 60).map((one) => (
                  <li key={one.id}>
                    <button type="button" class="queue-row" aria-current={one === item ? 'true' : undefined} onClick={() => choose(one.id)}>
                      <span class="small quiet">{one.title}</span>
                      <span class="stored clamp">{one.brief}</span>
                    </button>
                  </li>
                ))}
              </ol>
            </nav>
          )}
        </div>
      )}
      {writing && <Write {...writing} close={() => setWriting(null)} />}
    </div>
  );
}
