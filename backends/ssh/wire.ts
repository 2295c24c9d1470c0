/** The way to a host: a socket, a channel of the host before it, or the streams of a command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { CaissonError } from '../../src/errors.ts';
import { textField } from './fault.ts';
import { GatheringSocket } from './gathering-socket.ts';
import type { Route, Target } from './target.ts';

export interface Wire {
  readonly stream: Duplex;
  /** Ends what carries it. Idempotent. */
  close(): void;
}

const graceMs = 1000;

/** A host that does not answer any more must not keep this process from ending. */
export function endClient(client: Client): void {
  client.end();
  setTimeout(() => client.destroy(), graceMs).unref();
}

/** One that still has something to be read would never tell that it is closed. */
export function endChannel(channel: ClientChannel): void {
  for (const stream of [channel, channel.stderr]) stream.resume();
  channel.close();
}

/** Reason codes of ssh2 (RFC 4254, 5.1), in words for people. */
const refusals: Readonly<Record<number, string>> = { 1: 'it forbids forwarding', 2: 'it cannot connect' };

export function wireStraightTo({ host, port }: Target): Wire {
  const socket = new GatheringSocket();
  socket.connect({ host, port });
  return { stream: socket, close: () => socket.destroy() };
}

/** `client`: logged in to the host before. */
export async function wireOver(client: Client, over: Target, { host, port }: Target): Promise<Wire> {
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  client.once('close', () => reject(new Error('the connection ended')));
  client.forwardOut('127.0.0.1', 0, host, port, (error, channel) => {
    if (error === undefined) resolve(channel);
    else reject(error);
  });
  try {
    return { stream: await promise, close: () => endClient(client) };
  } catch (error) {
    endClient(client);
    const reason: unknown = Reflect.get(Object(error), 'reason');
    const why = (typeof reason === 'number' ? refusals[reason] : undefined) ?? 'no answer';
    throw new CaissonError('unavailable', `${over.label} does not lead to ${host}:${port} (${why})`, {
      cause: error,
      details: { reason: typeof reason === 'number' ? reason : null },
      remedy: `look whether \`ssh -J\` gets there, and at AllowTcpForwarding on ${over.label}`,
    });
  }
}

/**
 * The line is the user's own, from ~/.ssh/config, and runs as ssh(1) would run it: by a shell, with the environment of
 * this user, less what is Caisson's own. It is ended with the connection.
 */
export function wireOf({ line, env }: Extract<Route, { readonly kind: 'command' }>): Wire {
  const child = spawn('/bin/sh', ['-c', `exec ${line}`], {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CAISSON_'))),
    stdio: ['pipe', 'pipe', 'ignore'],
    // A group of its own, so that what the line starts beside itself ends too.
    detached: true,
  });
  const stream = Duplex.from({ readable: child.stdout, writable: child.stdin });
  const failed = (error: unknown): void => {
    stream.destroy(proxyError(error));
  };
  child.once('error', failed);
  child.once('exit', (code, signal) => {
    if (code !== 0) failed(new Error(`ended with ${code ?? signal}`));
  });
  return { stream, close: () => endGroup(child) };
}

function proxyError(cause: unknown): CaissonError {
  return new CaissonError('unavailable', 'the ProxyCommand of ~/.ssh/config does not lead to the host', {
    cause,
    details: { system: textField(cause, 'code') },
    remedy: 'run `ssh HOST true` to see what it says',
  });
}

function endGroup(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  signalGroup(pid, 'SIGTERM');
  const late = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs).unref();
  void once(child, 'exit').then(() => clearTimeout(late));
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // It has ended meanwhile, which is what is wanted.
    if (textField(error, 'code') !== 'ESRCH') throw error;
  }
}
