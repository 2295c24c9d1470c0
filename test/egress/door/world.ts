/**
 * A door to a small internet on this machine: a name server that answers what a test says, origins behind ports, and a record of
 * every address that was dialled. Every public address leads to the origin of its port.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, createServer as createRawServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressRules } from '../../../src/network/address/rules.ts';
import { Door } from '../../../src/egress/door/door.ts';
import { type DoorLimits, defaultLimits } from '../../../src/egress/door/limits.ts';
import { rulesetOf } from '../../../src/egress/door/ruleset.ts';
import type { ConnectionRecord, EgressRules } from '../../../src/egress/door/types.ts';
import { indexWebsites } from '../../../src/network/websites.ts';
import { certificateFor } from '../../network/dial/certificate.ts';
import { publicAddress } from '../../network/dial/internet.ts';
import { nameServer, type Zone } from '../../network/dial/name-server.ts';
import { someRules } from './rules.ts';

export interface World extends AsyncDisposable {
  /** A connection to the door, as the sandbox has it. */
  readonly open: () => Socket;
  /** Sends the text and gives all that comes until the door closes. */
  readonly say: (text: string) => Promise<string>;
  readonly revise: (rules: Partial<EgressRules>) => Promise<void>;
  readonly close: () => Promise<void>;
  readonly records: readonly ConnectionRecord[];
  readonly dialled: readonly string[];
  readonly asked: readonly string[];
  /** Certificate of the TLS origin, in PEM. */
  readonly ca: string;
}

export interface DoorWorldOptions {
  readonly rules: Partial<EgressRules>;
  readonly zone?: Zone;
  /** What listens at port 80 everywhere. */
  readonly web?: RequestListener;
  /** Listener that replaces `web` at port 80 and gets each connection as bytes. */
  readonly raw?: (socket: Socket) => void;
  readonly allowPrivate?: readonly string[];
  readonly limits?: Partial<DoorLimits>;
  /** Runs before each connection is made. */
  readonly dialling?: () => void;
}

export const secured = certificateFor('a.example');
const hello: RequestListener = (request, response) => void response.end(`hello ${request.headers.host}`);

export async function world(parts: DoorWorldOptions): Promise<World> {
  const origins: Readonly<Record<number, Server>> = {
    80: parts.raw === undefined ? createServer(parts.web ?? hello) : createRawServer(parts.raw),
    443: createTlsServer(secured, hello),
    22: createRawServer((socket) => void socket.on('error', () => undefined).pipe(socket)),
  };
  const held = new Set<Socket>();
  for (const server of Object.values(origins)) await listening(server, held);
  const names = await nameServer(parts.zone ?? (() => [publicAddress]));
  const [dialled, records]: [string[], ConnectionRecord[]] = [[], []];
  const directory = mkdtempSync(join(tmpdir(), 'caisson-door-'));
  const path = join(directory, 'door');
  const door = new Door({
    task: 'one',
    egress: rulesetOf(someRules(parts.rules)),
    addresses: async () =>
      addressRules({
        allowPrivate: parts.allowPrivate ?? [],
        nat64Prefix: null,
        env: {},
        websites: indexWebsites([]),
      }),
    lookup: names.lookup,
    reach: (address, port) => {
      parts.dialling?.();
      dialled.push(`${address}:${port}`);
      return { address: '127.0.0.1', port: portOf(origins[port] ?? origins[80]) };
    },
    limits: { ...defaultLimits, ...parts.limits },
    record: (record) => records.push(record),
  });
  await door.listen({ path });
  const open = (): Socket => connect(path).on('error', () => undefined);
  return {
    open,
    say: async (text) => {
      const socket = open();
      socket.write(text);
      return await restOf(socket);
    },
    revise: (rules) => door.revise(rulesetOf(someRules(rules))),
    close: () => door.close(),
    records,
    dialled,
    asked: names.asked,
    ca: secured.ca,
    [Symbol.asyncDispose]: async () => {
      await door.close();
      for (const socket of held) socket.destroy();
      for (const server of Object.values(origins)) await new Promise((resolve) => server.close(resolve));
      await names[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true });
    },
  };
}

/** All that comes until the end. */
export async function restOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  await closed(socket);
  return text;
}

/** Waits until the socket is closed, in order or not. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** A tunnel, and the status line that the door answered with. */
export async function tunnel(
  { open }: Pick<World, 'open'>,
  authority: string,
): Promise<{ readonly socket: Socket; readonly status: string }> {
  const socket = open();
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [chunk]: unknown[] = await once(socket, 'data');
  return { socket, status: Buffer.isBuffer(chunk) ? (chunk.toString('latin1').split('\r\n')[0] ?? '') : '' };
}

async function listening(server: Server, held: Set<Socket>): Promise<void> {
  server.on('connection', (socket: Socket) => held.add(socket.on('error', () => undefined)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
