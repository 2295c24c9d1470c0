/** Listens on the loopback of a sandbox whose network namespace is on this host: see `CreateOptions.door`. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readlinkSync } from 'node:fs';
import { Server } from 'node:net';
import { CaissonError } from '../errors.ts';
import { assetPath } from '../lib/asset.ts';
import type { Entrance } from '../lib/entrance.ts';
import { programEnv } from '../lib/run-program.ts';
import { startTimeOf } from '../lib/start-time.ts';
import { doorPort } from '../values/proxy-variables.ts';
import { given } from '../lib/given.ts';

/** A machine may be busy. */
const maxMs = 20_000;

/**
 * A process that enters the namespace hands its listener over and ends. Throws `unavailable`: the process of the entrance is gone,
 * its namespace may not be entered or is that of this host, or something in the sandbox has the port.
 */
export async function listenInside(entrance: Entrance): Promise<Server> {
  const held = holdNamespaces(entrance);
  try {
    return await handedOver(startListener(held));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

/** Opens the namespaces: open files refer to them even after another process has the number. Root enters without the user one. */
function holdNamespaces({ pid, startedAt }: Entrance): readonly number[] {
  const kinds = process.getuid?.() === 0 ? ['net'] : ['net', 'user'];
  const held: number[] = [];
  try {
    for (const kind of kinds) held.push(openSync(`/proc/${pid}/ns/${kind}`, 'r'));
    if (startTimeOf(pid) === startedAt) return held;
    throw new Error('its process is gone');
  } catch (error) {
    for (const fd of held) closeSync(fd);
    throw noWayInError(error instanceof Error ? error.message : String(error), error);
  }
}

function startListener(held: readonly number[]): ChildProcess {
  const [net = '', user] = held.map((_, index) => `/proc/self/fd/${3 + index}`);
  const into = user === undefined ? [`--net=${net}`] : [`--user=${user}`, '--preserve-credentials', `--net=${net}`];
  const script = assetPath('src/egress/listener.mjs');
  const node = [process.execPath, script, String(doorPort), readlinkSync('/proc/self/ns/net')];
  return spawn('nsenter', [...into, '--', ...node], {
    cwd: '/',
    env: programEnv(process.env),
    stdio: ['ignore', 'ignore', 'pipe', ...held, 'ipc'],
  });
}

async function handedOver(child: ChildProcess): Promise<Server> {
  const { promise, resolve, reject } = Promise.withResolvers<Server>();
  const fail = (why: string): void => reject(noWayInError(why));
  const timer = setTimeout(() => fail(`nothing listens after ${maxMs / 1000} s`), maxMs);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString('latin1')}`.slice(0, 300)));
  child.on('message', (message, handle) => {
    if (handle instanceof Server) resolve(handle);
    else fail(problemIn(message));
  });
  child.once('error', (error) => fail(error.message));
  child.once('close', () => fail(said.trim() || 'the process that was to listen has ended'));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

const problemIn = (message: unknown): string =>
  typeof message === 'object' && message !== null && 'problem' in message
    ? String(message.problem)
    : 'no listener came';

const noWayInError = (why: string, cause?: unknown): CaissonError =>
  new CaissonError('unavailable', `nothing can listen in the network of the sandbox: ${why}`, {
    ...given({ cause }),
    remedy: 'stop and start the sandbox; nsenter of util-linux must be on the PATH of the service',
  });
