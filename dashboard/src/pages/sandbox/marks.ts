/** What happened in a sandbox, as marks on the axis of its plots. Pure. */
import type { CaissonClient } from 'caisson/client';
import type { Mark } from '../../plot/shape.ts';
import { hashOf, hashOfExec, home } from '../../route.ts';
import { cut, shown } from '../../text/hostile.ts';
import { commandText } from '../../text/shell.ts';
import type { Change } from './past.ts';
import { stateText } from './states.ts';

type Act = Awaited<ReturnType<CaissonClient['history']['list']>>['items'][number];

interface Decision {
  readonly at: string;
  readonly [detail: string]: unknown;
}

export interface Happened {
  readonly task: string;
  readonly acts: readonly Act[];
  readonly questions: readonly Decision[];
  readonly states: readonly Pick<Change, 'at' | 'author' | 'reason' | 'data'>[];
  /** Connections that its network refused. */
  readonly denials: readonly Pick<Change, 'at' | 'data'>[];
}

/** Each is a stop of the keyboard. Many commands leave room for what is rare. */
const maxCommands = 40;
const maxOthers = 30;

/** The newest, in the order of time. */
export function marksOf({ task, acts, questions, states, denials }: Happened): readonly Mark[] {
  const asked = questions.map(({ at }): Mark => markOf(task, { at, kind: 'question', text: 'a person was asked' }));
  const changed = states.flatMap((change) => {
    const text = stateText(change);
    return text === null ? [] : [markOf(task, { at: change.at, kind: 'state', text: `${text} by ${byText(change)}` })];
  });
  const refused = denials.map(({ at, data }): Mark => markOf(task, { at, kind: 'denial', text: denialText(data) }));
  const all = [...acts.flatMap(marksOfAct), ...asked, ...changed, ...refused].toSorted(byTime);
  const isCommand = ({ kind }: Mark): boolean => kind === 'exec';
  const commands = all.filter(isCommand).slice(-maxCommands);
  return [...commands, ...all.filter((mark) => !isCommand(mark)).slice(-maxOthers)].toSorted(byTime);
}

const byTime = (one: Mark, other: Mark): number => one.atMs - other.atMs;

const byText = ({ author, reason }: Happened['states'][number]): string =>
  shown(reason === null ? author : `${author} (${reason})`);

/** The host is what a command inside asked for. */
function denialText({ host, port, count }: Change['data']): string {
  const named = typeof host === 'string' ? ` to ${cut(shown(host), 120)}` : '';
  const times = typeof count === 'number' && count > 1 ? `, ${count} times` : '';
  return `connection${named}${typeof port === 'number' ? `:${port}` : ''} denied${times}`;
}

interface Moment {
  readonly at: string;
  readonly kind: Mark['kind'];
  readonly text: string;
}

/** What has no output leads to its moment. */
function markOf(task: string, { at, kind, text }: Moment): Mark {
  const href = hashOf({ ...home, page: 'sandbox', task, filters: { at } });
  return { atMs: Date.parse(at), kind, text: `${at}: ${text}`, href };
}

function marksOfAct(act: Act): readonly Mark[] {
  const { taskId: task, execId, kind, command, startedAt: at, outcome, reason, durationMs } = act;
  const text = cut(shown(commandText(command)), 120);
  if (outcome === 'denied') return [markOf(task, { at, kind: 'denial', text: `${text}: denied` })];
  const isReplayed = kind === 'exec' && execId !== null;
  const href = isReplayed ? hashOfExec(task, execId) : null;
  const begun = markOf(task, { at, kind: 'exec', text });
  const led = href === null ? begun : { ...begun, href };
  if (reason !== 'out-of-memory') return [led];
  const endMs = led.atMs + (durationMs ?? 0);
  const killed = { at: new Date(endMs).toISOString(), kind: 'kill', text: `${text}: killed for memory` } as const;
  return [led, href === null ? markOf(task, killed) : { ...markOf(task, killed), href }];
}
