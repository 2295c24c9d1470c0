/** Why a command ended other than by itself, in one line each. */
import type { Exit, Inspected, SandboxView } from '../service/api.ts';
import { formatDuration, formatNamed, plural } from './format.ts';

const maxSurvivors = 20;
/** How an exit words that Caisson ended the command, and why: the reason says the same. */
const killedNote = /^killed: /;
/** Stands in the output of the command too. */
const startNote = /^the program .* (?:was not found|is not executable)$/s;

/** Empty for a command that simply exited. `timeoutMs` is what was asked for, when it is known. */
export function explain(exit: Exit, timeoutMs: number | null): string[] {
  const unseen = exit.notes.filter((note) => !startNote.test(note));
  const killed = unseen.find((note) => killedNote.test(note));
  const reason = reasonOf(exit, { timeoutMs, killed: killed ?? null });
  const more = unseen.filter((note) => note !== killed);
  const notes = more.length === 0 ? '' : ` (${more.join('; ')})`;
  const lines = reason === null ? unseen : [`${reason}${notes}`];
  if (exit.backgroundOpen)
    lines.push('something it started lives on and holds its output; what that writes from now on is not shown');
  return [...lines, ...survivorLines(exit)];
}

/** What a sandbox lacks, one line a reason: a place often lacks several things for one. */
export function describeDegraded(degraded: SandboxView['degraded']): string[] {
  const byReason = Map.groupBy(degraded, ({ reason }) => reason);
  return [...byReason].map(([reason, items]) => {
    const controls = items.map(({ control, wanted }) => describeControl(control, formatNamed(control, wanted)));
    return `${controls.join(', ')}: ${reason}`;
  });
}

function describeControl(control: string, wanted: string): string {
  if (control === 'diskBytes') return `a disk limit of ${wanted} (terminal.container_disk: null asks for none)`;
  if (control === 'open_private')
    return 'a refusal of this host and of private networks (network.open_private: true asks for none)';
  return `${control} (wanted ${wanted})`;
}

function reasonOf(
  exit: Exit,
  { timeoutMs, killed }: { readonly timeoutMs: number | null; readonly killed: string | null },
): string | null {
  switch (exit.reason) {
    case 'exited':
      return null;
    case 'signaled':
      return `the command was ended by ${exit.signal ?? 'a signal'}${exit.signalGuessed ? ', to judge by its exit code' : ''}`;
    case 'timed-out':
      if (timeoutMs === null) return `the command was ${killed ?? 'killed: its time was over'}`;
      return `the command timed out after ${formatDuration(timeoutMs)} and was killed`;
    case 'canceled':
      return 'the command was canceled';
    case 'output-limit':
      return `the command was ${killed ?? 'killed: it wrote more than it may'}`;
    case 'out-of-memory':
      return 'the command was killed for memory; --memory gives a new sandbox more';
    case 'lost':
      return 'the end of the command is not known; it is not run again';
  }
}

function survivorLines({ survivors }: Exit): string[] {
  if (survivors === null || survivors.length === 0) return [];
  const shown = survivors.slice(0, maxSurvivors).map(({ pid, command }) => `  still alive: ${pid} ${command}`);
  const more = survivors.length - shown.length;
  return [
    `${plural(survivors.length, 'process', 'processes')} could not be killed:`,
    ...shown,
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** What ends a sandbox, and when. */
export function describeEnd({ by, does, at }: Inspected['endsBy'][number]): string {
  const done = does === 'stop' ? 'stopped' : 'removed';
  if (by === 'process') return 'removed with the process that made it';
  return `${done} ${by === 'idle' ? 'when idle' : 'by age'} at ${at ?? 'a time that is not known'}`;
}
