/** `caisson serve --background`: starts a service that goes on without this process, and waits until it is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, fchmodSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { abortError, CaissonError } from '../../errors.ts';
import { prepareHome } from '../../config/home.ts';
import type { Flags } from '../../http/serve.ts';
import { isInside } from '../../guard/inside.ts';
import { programPath } from '../../lib/asset.ts';
import { isClaimed } from '../../store/service-claim.ts';
import type { ServiceRecord } from '../../lib/service-record.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { checkVersion, runningIn, stateOf } from './find.ts';

const readyWithinMs = 60_000;
const lookMs = 25;
const maxShownBytes = 4096;
const maxShownLines = 20;

export const logFile = (home: string): string => join(home, 'service.log');

export interface Start {
  readonly home: string;
  /** What was typed, and is passed on. */
  readonly flags: Flags;
}

export async function startInBackground({ home, flags }: Start, context: Context): Promise<number> {
  if (isInside(context.world.env))
    throw new CaissonError('permission_denied', 'a command that Caisson runs starts no service', {
      remedy: 'start it from a terminal of your own',
    });
  await prepareHome(home);
  const before = runningIn(home);
  const { record, started } =
    before === null ? await start({ home, flags }, context) : { record: before, started: false };
  if (!started) await adopt(record, flags);
  const { pid, url, socket } = record;
  if (context.json) await context.printJson({ pid, url, socket, started });
  else await context.print(`${url}\n`);
  if (!started) context.notice(`it runs already, as process ${pid}`);
  return 0;
}

/** One that another has started serves as well, unless something else was wanted of it. */
async function adopt(record: ServiceRecord, flags: Flags): Promise<void> {
  checkVersion(record);
  const { flags: its } = await stateOf(record);
  const other = Object.entries(flags).find(([name, value]) => its[name] !== value);
  if (other === undefined) return;
  const [name] = other;
  throw new CaissonError('failed_precondition', `a service runs already that was started with another --${name}`, {
    remedy: 'caisson service stop, and start it again; or leave the option out',
    details: { pid: record.pid, flags: its },
  });
}

interface StartResult {
  readonly record: ServiceRecord;
  /** False: another process was faster. */
  readonly started: boolean;
}

async function start({ home, flags }: Start, { world, signal }: Context): Promise<StartResult> {
  const log = openSync(logFile(home), 'a+', 0o600);
  try {
    fchmodSync(log, 0o600);
    const child = spawn(process.execPath, ['--', programPath, ...argsOf({ home, flags })], {
      // Not in the directory of the caller: its rules hold for its own calls, and it may be removed.
      cwd: home,
      env: { ...world.env, PWD: home },
      detached: true,
      stdio: ['ignore', log, log],
    });
    const failed = new Promise<never>((_resolve, reject) => child.once('error', reject));
    const from = fstatSync(log).size;
    return await Promise.race([failed, ready(home, { child, signal, log, from })]);
  } finally {
    closeSync(log);
  }
}

function argsOf({ home, flags }: Start): readonly string[] {
  const words = Object.entries(flags).flatMap(([name, value]) =>
    value === 'true' && name === 'public' ? ['--public'] : [`--${name}`, value],
  );
  return ['serve', '--alone', '--home', home, '--log', logFile(home), ...words];
}

interface Waiting {
  readonly child: ChildProcess;
  readonly signal: AbortSignal;
  readonly log: number;
  /** Offset in the log at which the part of the new service begins. */
  readonly from: number;
}

async function ready(home: string, { child, signal, log, from }: Waiting): Promise<StartResult> {
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    const record = runningIn(home);
    if (record !== null) {
      await stateOf(record);
      child.unref();
      return { record, started: record.pid === child.pid };
    }
    const isOver = child.exitCode !== null || child.signalCode !== null;
    // Another one that has been faster, and is about to be ready, is as good.
    if (isOver && !isClaimed(home)) throw serviceEndedError(child, { log, from });
    if (signal.aborted || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw signal.aborted ? abortError(signal) : startTimeoutError(log, from);
    }
    await sleep(lookMs);
  }
}

function serviceEndedError(
  { exitCode, signalCode }: ChildProcess,
  { log, from }: Pick<Waiting, 'log' | 'from'>,
): CaissonError {
  const how = signalCode ?? `exit code ${exitCode}`;
  return new CaissonError('failed_precondition', `the service has not started (${how})${lastOf(log, from)}`, {
    remedy: 'caisson service logs shows all of its log',
    details: { exitCode, signal: signalCode },
  });
}

function startTimeoutError(log: number, from: number): CaissonError {
  const seconds = readyWithinMs / 1000;
  return new CaissonError(
    'timed_out',
    `the service was not ready within ${seconds} s and was ended${lastOf(log, from)}`,
    {
      remedy: 'caisson service logs shows all of its log',
    },
  );
}

/** What it wrote last, for people. */
function lastOf(log: number, from: number): string {
  const size = fstatSync(log).size;
  const start = Math.max(Math.min(from, size), size - maxShownBytes);
  const bytes = Buffer.alloc(maxShownBytes);
  const text = bytes.toString('utf8', 0, readSync(log, bytes, 0, maxShownBytes, start)).trim();
  return text === '' ? '' : `: ${text.split('\n').slice(-maxShownLines).map(escapeLine).join('; ')}`;
}
