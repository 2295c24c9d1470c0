import { setTimeout as sleep } from 'node:timers/promises';
import { abortError, CaissonError } from '../../errors.ts';
import { version } from '../../lib/build.ts';
import { isServiceAlive, type ServiceRecord } from '../../lib/service-record.ts';
import { runningIn, stateOf } from '../background/find.ts';
import { endOf, following, lastLines } from '../background/log.ts';
import { logFile } from '../background/start.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escape } from '../escape.ts';
import { formatAge } from '../format.ts';
import { pendingLines } from '../pending.ts';
import { type ServiceState, stateOfService } from '../service-state.ts';
import { readCount, readDuration } from '../values.ts';

export const serviceStatus = defineCommand({
  name: 'service status',
  summary: 'Show the service of the state directory',
  about: `The one that the command line uses: since when it runs, where it listens, and whether it has
something to do; on stderr, what the configuration file says since it was read. Exits with 1 when
none runs.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['whether one runs', 'service status'],
    ['for a program', 'service status -o json'],
  ],
  run: async (_given, context) => {
    const state = stateOfService(await context.home());
    if (state.at !== 'here') return await elsewhere(state, context);
    const { record } = state;
    const { pid, version: its, startedAt, url, socket } = record;
    const { execs, streams, idleSince, flags, pending } = await stateOf(record);
    const own = version();
    if (its !== own)
      context.notice(`its version is ${its}, and this is ${own}: caisson service stop, and start it again`);
    if (context.json)
      await context.printJson({
        running: true,
        pid,
        version: its,
        startedAt,
        url,
        socket,
        execs,
        streams,
        idleSince,
        flags,
        pending,
      });
    else {
      const now = context.world.nowMs();
      const idle = idleSince === null ? 'no' : formatAge(idleSince, now);
      const row = [String(pid), its, formatAge(startedAt, now), url, socket, String(execs), String(streams), idle];
      await context.printTable(['PID', 'VERSION', 'AGE', 'URL', 'SOCKET', 'EXECS', 'STREAMS', 'IDLE'], [row]);
      for (const text of pendingLines(pending)) context.notice(text);
    }
    return 0;
  },
});

/** What is known of one in another container is its record: its socket is a name among its own files. */
async function elsewhere(state: Exclude<ServiceState, { at: 'here' }>, context: Context): Promise<number> {
  const running = state.at === 'elsewhere';
  if (context.json)
    await context.printJson(running ? { running, elsewhere: true, ...shown(state.record) } : { running });
  else await context.print(`${sentenceOf(state)}\n`);
  return running ? 0 : 1;
}

const shown = ({ version: its, startedAt, url }: ServiceRecord) => ({ version: its, startedAt, url });

function sentenceOf(state: Exclude<ServiceState, { at: 'here' }>): string {
  if (state.at === 'none') return 'no service runs';
  const { pid, url, version: its } = state.record;
  if (state.at === 'killed') return `no service runs: the last one (process ${pid}) was killed`;
  return `a service of version ${its} runs in another container: ${url}`;
}

export const serviceStop = defineCommand({
  name: 'service stop',
  summary: 'Stop the service of the state directory',
  about: `Sends SIGTERM and waits until it has ended: streams end with where to resume, commands have
server.shutdown_seconds to end, detached processes and sandboxes go on. Also one of another version.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    timeout: { type: 'text', value: 'TIME', about: 'how long to wait for its end (default: 60s); 0: for ever' },
  },
  examples: [
    ['before an upgrade', 'service stop'],
    ['wait longer', 'service stop --timeout 5m'],
  ],
  run: async (given, context) => {
    const timeout = given.text('timeout');
    const waitMs = timeout === undefined ? defaultWaitMs : readDuration('--timeout', timeout);
    const record = runningIn(await context.home());
    if (record === null) refuseElsewhere(await context.home());
    else await stop(record, waitMs, context.signal);
    if (context.json) await context.printJson({ stopped: record !== null, pid: record?.pid ?? null });
    else context.notice(record === null ? 'no service runs' : `stopped, process ${record.pid}`);
    return 0;
  },
});

/** Throws `failed_precondition` for a service that this command cannot signal. */
function refuseElsewhere(home: string): void {
  const state = stateOfService(home);
  if (state.at !== 'elsewhere') return;
  throw new CaissonError('failed_precondition', `the service runs in another container: ${state.record.url}`, {
    remedy: 'stop its container, for example by docker compose stop',
  });
}

const defaultWaitMs = 60_000;
const lookMs = 25;

async function stop(record: ServiceRecord, waitMs: number | null, signal: AbortSignal): Promise<void> {
  const deadline = waitMs === null ? Number.POSITIVE_INFINITY : performance.now() + waitMs;
  terminate(record);
  while (isServiceAlive(record)) {
    if (signal.aborted) throw abortError(signal);
    if (performance.now() > deadline) throw stopTimeoutError(record, waitMs ?? 0);
    await sleep(lookMs);
  }
}

/** Between the look at its start time and the signal nothing else is done: its number could be that of another process. */
function terminate(record: ServiceRecord): void {
  try {
    if (isServiceAlive(record)) process.kill(record.pid, 'SIGTERM');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return;
    throw new CaissonError('permission_denied', `process ${record.pid} cannot be stopped by this user`, {
      cause: error,
    });
  }
}

function stopTimeoutError({ pid }: ServiceRecord, waitMs: number): CaissonError {
  return new CaissonError('timed_out', `the service (process ${pid}) has not ended within ${waitMs / 1000} s`, {
    remedy: `wait longer with --timeout; kill -KILL ${pid} ends it at once, and the next one takes over what it left`,
    details: { pid },
  });
}

export const serviceLogs = defineCommand({
  name: 'service logs',
  summary: 'Show the log of the service in the background',
  about: 'One JSON object a line. What it wrote to stdout and stderr before it was ready is there too.',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    follow: { type: 'flag', short: 'f', about: 'go on with what comes' },
    lines: { type: 'text', short: 'n', value: 'COUNT', about: 'how many of the last lines (default: 100)' },
  },
  examples: [
    ['what it did last', 'service logs'],
    ['watch it', 'service logs -f -n 10'],
  ],
  run: async (given, context) => {
    const path = logFile(await context.home());
    const count = readCount('--lines', given.text('lines') ?? '100');
    const isTerminal = context.world.stdout.isTTY === true;
    const end = endOf(path);
    const last = lastLines(path, count, end);
    await context.print(isTerminal ? escape(last) : last);
    if (!given.flag('follow')) return 0;
    for await (const part of following(path, end, context.signal))
      await context.print(isTerminal ? escape(part.toString()) : part);
    return 0;
  },
});
