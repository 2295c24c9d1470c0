/** What a call that runs something answers: the end of the command, or where to go on while it runs. */
import type { Exit, Where } from '../../service/api.ts';
import type { StartedCommand } from '../api.ts';
import type { AdmittedValue } from '../asking/admitted.ts';
import type { Call } from '../call.ts';
import { start, textOf } from '../output/cursor.ts';
import { endOf, followRecord } from '../output/follow.ts';
import { Kept } from '../output/kept.ts';
import type { Output } from '../reply.ts';

/** Bytes of head and tail each: together some 32 KiB. */
const stdoutBytes = 12 * 1024;
const stderrBytes = 4 * 1024;

type RunLocation = Pick<StartedCommand, 'where' | 'degraded' | 'lostSince'>;

/** Until its end, or until the call is to be answered. A call that is canceled before kills the command, and waits for that. */
export async function outcomeOf(call: Call, { execId, value }: AdmittedValue<StartedCommand>): Promise<Output> {
  if (value === null) return stillRunning(execId, null);
  const { api, closing, started } = call.parts;
  value.ignore();
  started(value);
  const seen = {
    stdout: new Kept(stdoutBytes),
    stderr: new Kept(stderrBytes),
    seq: start.seq,
    exit: null as Exit | null,
  };
  const end = endOf(call.leftMs(), [call.signal, closing]);
  try {
    await followRecord(api, execId, { after: 0, follow: true, until: end.signal }, ({ seq, event }) => {
      seen.seq = seq;
      if (event.type === 'stdout' || event.type === 'stderr') seen[event.type].push(event.bytes);
      if (event.type === 'gap') seen[event.stream].miss(event.bytes);
      if (event.type === 'exit') seen.exit = event.exit;
      call.report(seen.stdout.lastLine || seen.stderr.lastLine);
      return event.type !== 'exit';
    });
  } finally {
    end.over();
  }
  if (call.signal.aborted) await value.cancel();
  const { exit, seq } = seen;
  const stdout = seen.stdout.read(exit !== null);
  const stderr = seen.stderr.read(exit !== null);
  const truncated = seen.stdout.truncated || seen.stderr.truncated;
  const next = exit === null ? textOf({ seq, stdout: stdout.rest, stderr: stderr.rest }) : null;
  const texts = { stdout: stdout.text, stderr: stderr.text, truncated };
  return { data: { ...runData(execId, exit, value), ...texts, next }, links: truncated ? linksOf(execId) : [] };
}

/** Nothing of its output is in the answer. */
export function stillRunning(execId: string, where: Where | null): Output {
  const place = where === null ? null : { where, degraded: [], lostSince: null };
  return { data: { ...runData(execId, null, place), stdout: '', stderr: '', truncated: false, next: '0' } };
}

/** What is known of an end, also of one that left no record here. */
export type Ending = Pick<Exit, 'reason' | 'exitCode' | 'signal' | 'durationMs' | 'redactions' | 'notes'>;

export function runData(
  execId: string,
  exit: Ending | null,
  place: RunLocation | null,
): Readonly<Record<string, unknown>> {
  const lost =
    place === null || place.lostSince === null
      ? []
      : [`the sandbox had ended, and its files are those of ${place.lostSince}: what was written later is gone`];
  return {
    exec_id: execId,
    reason: exit?.reason ?? 'running',
    exit_code: exit?.exitCode ?? null,
    signal: exit?.signal ?? null,
    duration_ms: exit?.durationMs ?? null,
    where: place === null ? null : whereOf(place.where),
    degraded: (place?.degraded ?? []).filter(({ asked }) => asked),
    redactions: exit?.redactions ?? null,
    notes: [...lost, ...(exit?.notes ?? [])],
  };
}

/** Without the host and what the resource is called there. */
const whereOf = ({ backend, taskId, sandboxId }: Where) => ({ backend, task: taskId, sandbox: sandboxId });

export const linksOf = (execId: string): NonNullable<Output['links']> =>
  (['stdout', 'stderr'] as const).map((name) => ({
    uri: `caisson://execs/${execId}/${name}`,
    name: `${name} of ${execId}`,
    description: `All of ${name}, in pages.`,
  }));
