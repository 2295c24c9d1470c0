/** What happened in a sandbox, as marks on the axis of its plots. Pure. */
import type { CaissonClient } from 'caisson/client';
import type { Mark } from '../../plot/shape.ts';
import { hashOf, home } from '../../route.ts';
import { cut, shown } from '../../text/hostile.ts';
import { commandText } from '../../text/shell.ts';

type Act = Awaited<ReturnType<CaissonClient['history']['list']>>['items'][number];

interface Decision {
  readonly at: string;
  readonly [detail: string]: unknown;
}

/** Each is a stop of the keyboard. */
const maxMarks = 60;

/** The newest, in the order of time. */
export function marksOf(acts: readonly Act[], questions: readonly Decision[]): readonly Mark[] {
  const asked = questions.map(({ at }): Mark => ({
    atMs: Date.parse(at),
    kind: 'question',
    text: `${at}: a person was asked`,
    href: null,
  }));
  return [...acts.flatMap(marksOfAct), ...asked].toSorted((one, other) => one.atMs - other.atMs).slice(-maxMarks);
}

function marksOfAct(act: Act): readonly Mark[] {
  const { taskId: task, execId, kind, command, startedAt, outcome, reason, durationMs } = act;
  const text = `${startedAt}: ${cut(shown(commandText(command)), 120)}`;
  const atMs = Date.parse(startedAt);
  if (outcome === 'denied') return [{ atMs, kind: 'denial', text: `${text}: denied`, href: null }];
  const isReplayed = kind === 'exec' && execId !== null;
  const href = isReplayed ? hashOf({ ...home, page: 'sandbox', task, tab: 'execs', filters: { exec: execId } }) : null;
  const begun: Mark = { atMs, kind: 'exec', text, href };
  if (reason !== 'out-of-memory') return [begun];
  return [begun, { atMs: atMs + (durationMs ?? 0), kind: 'kill', text: `${text}: killed for memory`, href }];
}
