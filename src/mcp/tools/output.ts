/** Tools about what runs, or ran. */
import { z } from 'zod';
import { CaissonError, isCode } from '../../errors.ts';
import type { ExecView, Where } from '../../service/api.ts';
import type { Call } from '../call.ts';
import { cursorOf, start, textOf } from '../output/cursor.ts';
import { endOf, followRecord } from '../output/follow.ts';
import { Page } from '../output/page.ts';
import { tool } from '../tool.ts';
import { type Ending, linksOf, runData, stillRunning } from './run-result.ts';
import { after, execId, session, task } from './schemas.ts';

const defaultBytes = 32 * 1024;
const maxBytes = 256 * 1024;

export const readOutput = tool({
  name: 'read_output',
  title: 'Read the output of a command',
  description:
    'Reads what a command has written from `after` on, and waits up to wait_ms for its end or a full page. Call it again with `next` while reason is "running" or more is true: nothing is lost or repeated. missing_bytes of the page are not kept any more.',
  scope: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({
    exec_id: execId,
    after,
    wait_ms: z.int().min(0).max(45_000).optional().describe('Absent: 10 seconds. 0: only what is there.'),
    max_bytes: z.int().min(1024).max(maxBytes).optional().describe('About; absent: 32 KiB.'),
  }),
  run: async (call, args) => {
    const waitMs = Math.min(args.wait_ms ?? 10_000, Math.max(0, call.leftMs()));
    const isStarted = await startedWithin(call, args.exec_id, waitMs);
    const rest = { more: false, missing_bytes: 0 };
    if (!isStarted) {
      const { data } = stillRunning(args.exec_id, null);
      return { data: { ...data, ...rest } };
    }
    const from = args.after === undefined ? start : cursorOf(args.after);
    const page = new Page(from, { maxBytes: args.max_bytes ?? defaultBytes, streams: ['stdout', 'stderr'] });
    const before = await knownOf(call, args.exec_id);
    const end = endOf(waitMs, [call.signal, call.parts.closing]);
    let isRead = false;
    try {
      const how = { after: from.seq, follow: waitMs > 0, until: end.signal };
      isRead = await followRecord(call.parts.api, args.exec_id, how, (event) => {
        call.report(`reading ${args.exec_id}`);
        return page.take(event);
      });
    } finally {
      end.over();
    }
    // An end that came while it was read is only one when its event was read: output may stand before it.
    const exit = page.exit ?? (isRead ? before.exit : null);
    const { stdout, stderr, next } = page.read();
    return {
      data: {
        ...runData(args.exec_id, exit, before.where === null ? null : { ...before, where: before.where }),
        stdout,
        stderr,
        truncated: page.missing > 0,
        more: page.full,
        missing_bytes: page.missing,
        next: exit === null ? textOf(next) : null,
      },
      links: page.full || page.missing > 0 ? linksOf(args.exec_id) : [],
    };
  },
});

interface ExecFacts {
  /** `null`: it ran when it was looked at. */
  readonly exit: Ending | null;
  readonly where: Where | null;
  readonly degraded: readonly [];
  readonly lostSince: null;
}

async function knownOf({ parts: { api }, signal }: Call, id: string): Promise<ExecFacts> {
  const rest = { degraded: [], lostSince: null } as const;
  const found = await api.execs.get(id, { signal }).catch((error: unknown) => noExec(error));
  if (found !== null) return { exit: found.exit, where: found.where, ...rest };
  const { state, exitCode, durationMs } = await api.processes.get(id, { signal });
  if (state === 'running') return { exit: null, where: null, ...rest };
  const ending = { reason: state, exitCode, signal: null, durationMs: durationMs ?? 0, redactions: null, notes: [] };
  return { exit: ending, where: null, ...rest };
}

/** A detached process has its record in its sandbox. */
function noExec(error: unknown): ExecView | null {
  if (isCode(error, 'not_found')) return null;
  throw error;
}

/** Waits for the start of a command that was answered before it had started. Throws what has kept it from starting. */
async function startedWithin({ parts }: Call, id: string, ms: number): Promise<boolean> {
  const starting = parts.calls.starting(parts.caller, id);
  if (starting === null) return true;
  const end = endOf(ms, [parts.closing]);
  const late = new Promise<boolean>((resolve) =>
    end.signal.addEventListener('abort', () => resolve(false), { once: true }),
  );
  try {
    return await Promise.race([starting.then(() => true), late]);
  } finally {
    end.over();
  }
}

export const stopProcess = tool({
  name: 'stop_process',
  title: 'Stop a command or a session',
  description:
    'Kills a command with all that it started, or ends a session. With a signal other than KILL, sends that to a background command.',
  scope: 'run',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  input: z.strictObject({
    exec_id: execId.optional(),
    task: task.optional().describe('Of the session.'),
    session: session.optional(),
    signal: z
      .string()
      .regex(/^(?:SIG)?[A-Z0-9]{1,10}$/)
      .optional()
      .describe('Of a command that runs in the background: TERM, INT, HUP, ...'),
  }),
  run: async ({ parts: { api }, signal }, args) => {
    if (args.exec_id !== undefined && args.session === undefined) {
      const survivors = await stopExec(api, { id: args.exec_id, name: args.signal }, signal);
      return { data: { stopped: args.exec_id, survivors } };
    }
    if (args.exec_id !== undefined || args.session === undefined || args.task === undefined)
      throw new CaissonError('invalid_argument', 'either exec_id, or a task and its session');
    await api.sessions.close({ taskId: args.task, name: args.session }, { signal });
    return { data: { stopped: args.session, survivors: [] } };
  },
});

async function stopExec(
  { execs, processes }: Call['parts']['api'],
  { id, name }: { readonly id: string; readonly name: string | undefined },
  signal: AbortSignal,
): Promise<readonly string[]> {
  const isDetached = await execs.get(id, { signal }).then(
    () => false,
    (error: unknown) => noExec(error) === null,
  );
  if (isDetached) {
    const { survivors } = await processes.kill(id, name, { signal });
    return (survivors ?? []).map(({ pid, command }) => `${pid} ${command}`);
  }
  if (name !== undefined && !/^(?:SIG)?(?:TERM|KILL|INT)$/.test(name))
    throw new CaissonError('not_supported', `only a background command takes the signal ${name}`, {
      remedy: 'leave out the signal: the command is killed with all that it started',
    });
  await execs.cancel(id, { signal });
  const { exit } = await execs.get(id, { signal });
  return (exit?.survivors ?? []).map(({ pid, command }) => `${pid} ${command}`);
}
