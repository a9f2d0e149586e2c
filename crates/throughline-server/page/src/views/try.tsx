// Try: type a prompt and see what an agent would be told, why, and what would be kept of it. Nothing is written.

import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, send } from '../api';
import { go } from '../router';
import type { Place } from '../router';
import type { Candidate, Recalled } from '../types';
import { Bar, Block, Empty, Failure, PageHead } from '../ui';
import * as words from '../words';

interface Reading {
  pieces: { text: string; role: string; kept: boolean; why_not: string | null; comes: { does: string; meets: { id: string; content: string; effect: string }[] }[] }[];
}

const FATES: Record<string, [string, string]> = {
  shown: ['told', 'good'],
  counted: ['counted', ''],
  replaced: ['replaced', 'warn'],
  cut: ['left out', ''],
  considered: ['considered', ''],
};

export function TryView({ place }: { place: Place }): JSX.Element {
  const [text, setText] = useState(place.query.get('q') ?? '');
  const [episodes, setEpisodes] = useState(false);
  const [answer, setAnswer] = useState<Recalled | null>(null);
  const [reading, setReading] = useState<Reading | null>(null);
  const [error, setError] = useState<Problem | null>(null);
  const round = useRef(0);
  // The address follows what is typed; and when the address changes by itself (back, a link), the text follows it.
  const asked = place.query.get('q') ?? '';
  const written = useRef(asked);
  useEffect(() => {
    if (asked !== written.current) {
      written.current = asked;
      setText(asked);
    }
  }, [asked]);
  useEffect(() => {
    const mine = ++round.current;
    const query = text.trim();
    if (query === '') {
      setAnswer(null);
      setReading(null);
      setError(null);
      return;
    }
    const timer = setTimeout(() => {
      written.current = query;
      go(`/try?q=${encodeURIComponent(query)}`, true);
      send<Recalled>('/recall', { query, explain: true, episodes }).then(
        (value) => mine === round.current && (setAnswer(value), setError(null)),
        (problem: unknown) => mine === round.current && setError(problem as Problem),
      );
      send<Reading>('/read', { text: query }).then(
        (value) => mine === round.current && setReading(value),
        () => mine === round.current && setReading(null),
      );
    }, 220);
    return () => clearTimeout(timer);
  }, [text, episodes]);
  return (
    <div class="page wide">
      <PageHead title="Try" sub="See what an agent would be told with a prompt, and why. Nothing is written." />
      <label class="labelled">
        <span class="hidden-text">Prompt</span>
        <textarea class="field prompt" rows={2} data-search placeholder="Which database does staging run on?" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <p class="try-options">
        <label><input type="checkbox" checked={episodes} onChange={() => setEpisodes(!episodes)} /> Also quote earlier turns</label>
      </p>
      {error && <Failure problem={error} />}
      {!answer && !error && (
        <div class="card"><Empty title="Type what you would ask your agent">
          <p>The block below the prompt is exactly what would be added to it: often a line or two, often nothing. The table shows everything that was considered.</p>
        </Empty></div>
      )}
      {answer && <Answer answer={answer} />}
      {reading && <Kept reading={reading} />}
    </div>
  );
}

function Answer({ answer }: { answer: Recalled }): JSX.Element {
  const candidates = answer.candidates ?? [];
  return (
    <>
      <section class="section" aria-live="polite">
        <header><h2>Told</h2><span class="sub num">{answer.tokens} of {answer.budget} tokens</span></header>
        {answer.text ? <Block text={answer.text} /> : (
          <div class="card"><Empty title="Nothing"><p>No memory fits this closely enough to be worth the agent's attention.</p></Empty></div>
        )}
      </section>
      {0 < candidates.length && (
        <section class="section">
          <header><h2>Why</h2><span class="sub">score = fit × (0.8 + 0.2 × salience) × (0.7 + 0.3 × trust)</span></header>
          <div class="card scroll-x" tabIndex={0} role="region" aria-label="Everything that was considered">
            <table class="xray">
              <thead><tr><th>What</th><th>Outcome</th><th class="n">Score</th><th>Fits</th><th class="n">Salience</th><th class="n">Trust</th><th class="n">Words</th><th class="n">Meaning</th><th class="n">Other</th></tr></thead>
              <tbody>{candidates.slice(0, 40).map((one) => <CandidateRow key={one.id} one={one} />)}</tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}

const signed = (value: number) => (Math.abs(value) < 0.05 ? '·' : `${0 < value ? '+' : '−'}${Math.abs(value).toFixed(1)}`);

function CandidateRow({ one }: { one: Candidate }): JSX.Element {
  const [name, tone] = FATES[one.fate] ?? [one.fate, ''];
  const other = one.session + one.voice + one.answer + one.time + one.named;
  return (
    <tr class={one.fate === 'shown' ? 'told-row' : ''}>
      <td class="what">
        <a class="stored clamp" href={`/memories/${one.id}`}>{one.title ?? words.short(one.id)}</a>
        {0 < one.path.length && <span class="small quiet">reached by {one.path.map((step) => words.relation(step.relation)).join(', ')}</span>}
      </td>
      <td><span class={`pill ${tone}`}>{name}</span>{one.reason && <span class="small quiet stored why-word">{one.reason}</span>}</td>
      <td class="n">{one.score.toFixed(2)}</td>
      <td class="fit"><span class="trust"><Bar value={one.relevance} label="fits" /><span aria-hidden="true">{one.relevance.toFixed(2)}</span></span></td>
      <td class="n">{one.salience?.toFixed(2) ?? '·'}</td>
      <td class="n">{one.trust?.toFixed(2) ?? '·'}</td>
      <td class="n">{signed(one.words)}</td>
      <td class="n">{signed(one.vector)}</td>
      <td class="n">{signed(other)}</td>
    </tr>
  );
}

function Kept({ reading }: { reading: Reading }): JSX.Element | null {
  if (reading.pieces.length === 0) return null;
  return (
    <section class="section">
      <header><h2>What would be kept of it</h2><span class="sub">if you said this to an agent</span></header>
      <div class="card">
        <ul class="rows">
          {reading.pieces.map((piece, at) => (
            <li key={at} class="evidence">
              <p class="stored">{piece.text}</p>
              <div class="meta">
                <span class={`pill ${piece.kept ? 'good' : ''}`}>{piece.kept ? 'kept' : 'not kept'}</span>
                <span class="stored">{piece.kept ? piece.comes.map((one) => one.does).join('; ') : (piece.why_not ?? piece.role)}</span>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
