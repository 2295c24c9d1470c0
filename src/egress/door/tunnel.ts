/** CONNECT: bytes in both directions, once it is known where they go. */
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { bareHost } from '../../values/host-pattern.ts';
import { readIp } from '../../values/ip.ts';
import { answerRaw, refusalText } from './answers.ts';
import { maxFirstBytes, readHello } from './client-hello.ts';
import { deny } from './decide.ts';
import type { DoorLimits } from './limits.ts';
import { relay } from './relay.ts';
import { tlsPort } from './request.ts';
import type { Target } from './types.ts';
import type { Visit } from './visit.ts';

export interface TunnelInput {
  readonly client: Duplex;
  readonly visit: Visit;
  readonly limits: DoorLimits;
}

/** Never rejects; ends when both connections are closed. */
export async function serveTunnel(target: Target, { client, visit, limits }: TunnelInput): Promise<void> {
  const close = (): void => void client.destroy();
  const leave = (): void => visit.abort();
  visit.signal.addEventListener('abort', close);
  client.once('close', leave);
  try {
    const admission = await visit.admit(target);
    if (admission.socket === null) {
      const { decision, status } = admission;
      // On record before the client reads it, and its command ends.
      visit.end();
      answerRaw(client, status, refusalText(target, decision, status));
      return;
    }
    const server = admission.socket;
    visit.signal.addEventListener('abort', () => void server.destroy());
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (target.port === tlsPort && !(await isNamed(target, { client, visit, limits }))) {
      server.destroy();
      client.destroy();
      return;
    }
    await through(client, server, limits);
  } finally {
    visit.end();
  }
}

async function through(client: Duplex, server: Socket, { idleTimeoutMs }: DoorLimits): Promise<void> {
  // Bytes in either direction pass both.
  server.setTimeout(idleTimeoutMs, () => void server.destroy());
  await relay(client, server);
}

/** Whether the client begins with TLS and asks for the name that was judged. The bytes stay to be read. */
async function isNamed(target: Target, { client, visit, limits }: TunnelInput): Promise<boolean> {
  const { first, problem } = await firstBytes(client, limits.headTimeoutMs);
  const reason = problem ?? nameProblem(target, first);
  if (reason !== null) {
    if (!visit.signal.aborted) visit.deny(deny('server-name', reason));
    return false;
  }
  visit.checked = 'server-name';
  client.unshift(first);
  return true;
}

/** Reads on while what is there is the beginning of a hello. */
async function firstBytes(
  client: Duplex,
  timeoutMs: number,
): Promise<{ readonly first: Buffer; readonly problem: string | null }> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  let first: Buffer = Buffer.alloc(0);
  const timer = setTimeout(() => resolve('no TLS hello came in time'), timeoutMs);
  const take = (chunk: Buffer): void => {
    first = Buffer.concat([first, chunk]);
    if (first.length > maxFirstBytes || readHello(first).kind !== 'part') resolve(null);
  };
  const end = (): void => resolve('no TLS hello came');
  client.on('data', take).once('end', end).once('close', end);
  const problem = await promise;
  clearTimeout(timer);
  client.off('data', take).off('end', end).off('close', end);
  client.pause();
  return { first, problem };
}

function nameProblem({ name }: Target, first: Buffer): string | null {
  const hello = readHello(first);
  if (hello.kind === 'part') return 'the TLS hello is too long';
  if (hello.kind === 'refused') return hello.reason;
  // RFC 6066, 3: an address is not allowed as a server name.
  if (hello.serverName === null) return readIp(name) === null ? 'the TLS hello names no host' : null;
  return bareHost(hello.serverName) === name ? null : `the TLS hello names another host: ${hello.serverName}`;
}
