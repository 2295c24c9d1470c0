/** From what was observed to one exit. Pure. */
import type { Outputs, ProcessEnd } from '../backend.ts';
import type { End, Exit, ExitReason, StreamSummary, Survivor } from './exit.ts';
import { signalNumbers } from './exit.ts';
import type { StreamName } from './exec-event.ts';

/** How the command ended by itself or by us; `null` when that cannot be known. */
export interface Observed {
  /** The first reason we had to end it. `null`: we did not. */
  readonly forced: ExitReason | null;
  readonly end: ProcessEnd | null;
  readonly durationMs: number;
  readonly stdout: StreamSummary;
  readonly stderr: StreamSummary;
  readonly backgroundOpen: boolean;
  readonly survivors: readonly Survivor[] | null;
  /** Absent: it was not looked for. */
  readonly redactions?: number | null;
  readonly notes: readonly string[];
}

const memoryNote = 'the kernel killed a process of this sandbox for memory while the command ran';

export function exitOf(observed: Observed): Exit {
  const { forced, end, durationMs, stdout, stderr, backgroundOpen, survivors } = observed;
  return {
    ...endOf(end, forced),
    durationMs: Math.round(durationMs * 100) / 100,
    stdout,
    stderr,
    backgroundOpen,
    survivors,
    redactions: observed.redactions ?? null,
    notes: end?.outOfMemory === true ? [...observed.notes, memoryNote] : observed.notes,
  };
}

/** `null`: it cannot be known. */
export function endOf(end: ProcessEnd | null, forced: ExitReason | null = null): End {
  const guess = end === null || end.signal !== null ? null : guessSignal(end.exitCode);
  return {
    reason: forced ?? reasonOf(end),
    exitCode: end?.exitCode ?? codeOf(end?.signal ?? null),
    signal: end?.signal ?? guess,
    signalGuessed: guess !== null,
  };
}

/** `null` also for a signal without a number here. */
function codeOf(signal: string | null): number | null {
  const number = signal === null ? undefined : signalNumbers[signal];
  return number === undefined ? null : 128 + number;
}

/** A command that succeeded although something was killed for memory did succeed; the note tells the rest. */
function reasonOf(end: ProcessEnd | null): ExitReason {
  if (end === null) return 'lost';
  if (end.outOfMemory && end.exitCode !== 0) return 'out-of-memory';
  return end.signal === null ? 'exited' : 'signaled';
}

const namesByNumber = new Map(Object.entries(signalNumbers).map(([name, number]) => [number, name]));

/** Shells and container engines report a death by signal n as 128+n; a program may exit with that code by itself. */
export function guessSignal(exitCode: number | null): string | null {
  return exitCode === null ? null : (namesByNumber.get(exitCode - 128) ?? null);
}

const nothing: StreamSummary = { bytes: 0, truncated: false, complete: null };

/** The exit of an exec that never ran, or of which nothing is known but why. */
export function exitWithout(
  reason: ExitReason,
  note: string,
  streams?: { readonly stdout: StreamSummary; readonly stderr: StreamSummary },
): Exit {
  return exitOf({
    forced: reason,
    end: null,
    durationMs: 0,
    stdout: streams?.stdout ?? nothing,
    stderr: streams?.stderr ?? nothing,
    backgroundOpen: false,
    survivors: null,
    notes: [note],
  });
}

/** Why nothing of the program ran; `null` when it did. */
export function startNote(end: ProcessEnd | null, program: string): string | null {
  if (end?.notStarted === undefined) return null;
  return `the program ${program} ${notStartedWords[end.notStarted]}`;
}

const notStartedWords = { 'not-found': 'was not found', 'not-executable': 'is not executable' } as const;

/** That bytes are not those of the command; `null` when they are. `reader`: the reader got them as they came. */
export function redactionsNote(redactions: number | null, { reader }: { readonly reader: boolean }): string | null {
  if (redactions === null || redactions === 0) return null;
  const what = redactions === 1 ? '1 piece' : `${redactions} pieces`;
  const were = redactions === 1 ? 'was' : 'were';
  return `${what} of its ${reader ? 'record' : 'output'} ${were} replaced by redaction: known secrets, or what looks like one`;
}

/** A stream that no reader took while the command ran, so that its record alone has what its buffer does not. */
export interface Unread {
  /** `null`: a reader has come since. */
  readonly from: number | null;
  /** Bytes that the record has no room for. */
  readonly missing: number;
}

export function unreadNotes(name: StreamName, { from, missing }: Unread): readonly string[] {
  return [
    ...(from === null ? [] : [`${name} was not read: what follows its first ${from} bytes is in its record`]),
    ...(missing === 0
      ? []
      : [`${missing} bytes of ${name} are lost: it was not read, and its record has no more room`]),
  ];
}

/** A command may end by itself in the moment in which it is to be killed, or may end so when it is asked to. */
export function endedNote(forced: ExitReason | null, end: ProcessEnd | null): string | null {
  const exitCode = end?.signal === null ? end.exitCode : null;
  if (forced === null || forced === 'lost' || exitCode === null || guessSignal(exitCode) !== null) return null;
  return `it ended by itself all the same, with exit code ${exitCode}`;
}

/** What the caller must know of output that is not proved to be complete; `null` when it is. */
export function outputsNote(outputs: Outputs): string | null {
  if (outputs.is === 'cut') return `its output is incomplete: ${outputs.why}`;
  return outputs.is === 'unknown' ? `its output may be incomplete: ${outputs.why}` : null;
}

export function summaryOf(
  stream: Pick<StreamSummary, 'bytes'> & { readonly incomplete: boolean },
  { is }: Outputs,
): StreamSummary {
  const complete = is === 'unknown' ? null : is !== 'cut';
  return { bytes: stream.bytes, truncated: stream.incomplete, complete };
}
