// Evidence: who said it and when, with the words of the turn and what stood around it.

import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useGet } from '../api';
import type { Episode, Evidence } from '../types';
import { When } from '../ui';
import * as words from '../words';

const SHOWN = 8;
const SPEAKERS: Record<string, string> = { user: 'you', assistant: 'agent', tool: 'tool' };

export function EvidenceList({ evidence }: { evidence: Evidence[] }): JSX.Element | null {
  const [all, setAll] = useState(false);
  if (evidence.length === 0) return null;
  const latest = [...evidence].reverse();
  return (
    <section class="section">
      <header><h2>Evidence</h2><span class="sub num">{evidence.length}</span></header>
      <div class="card">
        <ul class="rows">
          {(all ? latest : latest.slice(0, SHOWN)).map((one, at) => <li key={at}><Piece evidence={one} /></li>)}
        </ul>
      </div>
      {!all && SHOWN < latest.length && (
        <button class="button plain" type="button" onClick={() => setAll(true)}>Show {latest.length - SHOWN} more</button>
      )}
    </section>
  );
}

function Piece({ evidence }: { evidence: Evidence }): JSX.Element {
  const [around, setAround] = useState(false);
  const turn = useGet<Episode>(evidence.turn ? `/turns/${encodeURIComponent(evidence.turn)}` : null, {}, false);
  const text = turn.data?.text ?? evidence.snippet;
  return (
    <div class="evidence">
      <div class="meta">
        <span class="soft">{words.authority(evidence.authority)}</span>
        <When at={evidence.at} />
        {evidence.session && <a class="stored" href={`/timeline?session=${encodeURIComponent(evidence.session)}`}>session {evidence.session.slice(0, 12)}</a>}
        {evidence.turn && turn.data && (
          <button class="button plain tiny" type="button" aria-expanded={around} onClick={() => setAround(!around)}>
            {around ? 'Only this turn' : 'What was said around it'}
          </button>
        )}
      </div>
      {text && !around && <Quote speaker={turn.data?.speaker ?? null} text={text} />}
      {around && evidence.turn && <Around turn={evidence.turn} />}
      {evidence.why && <p class="small soft stored">{evidence.why}</p>}
      {!text && !evidence.turn && !evidence.why && <p class="small quiet">Written by hand, without a conversation.</p>}
    </div>
  );
}

export function Quote({ speaker, text, mark }: { speaker: string | null; text: string; mark?: boolean }): JSX.Element {
  return (
    <blockquote class={`quote ${mark ? 'marked' : ''}`}>
      {speaker && <span class="speaker">{SPEAKERS[speaker] ?? speaker}</span>}
      <p class="stored">{text}</p>
    </blockquote>
  );
}

function Around({ turn }: { turn: string }): JSX.Element {
  const around = useGet<{ turns: Episode[] }>(`/turns/${encodeURIComponent(turn)}/around`, {}, false);
  return (
    <div class="around">
      {(around.data?.turns ?? []).map((one) => <Quote key={one.id} speaker={one.speaker} text={one.text} mark={one.id === turn} />)}
    </div>
  );
}
