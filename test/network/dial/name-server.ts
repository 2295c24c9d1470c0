/** A name server on this machine: real packets (RFC 1035), so that the resolver of Node is what reads them. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Resolver } from 'node:dns/promises';
import type { Lookup } from '../../../src/network/dial/vet.ts';
import ipaddr from 'ipaddr.js';

/** Addresses for the `count`th question about a name, from 0; `null`: there is no such name; `silence`: no answer at all. */
export type Zone = (name: string, count: number) => readonly string[] | null | 'silence';

export interface NameServer extends AsyncDisposable {
  /** Both kinds of addresses, as a client asks for them. */
  readonly lookup: Lookup;
  /** Names that were asked for, one for each lookup. */
  readonly asked: readonly string[];
}

const [typeA, typeAAAA] = [1, 28];

export async function nameServer(zone: Zone): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const name = nameIn(query);
    // One lookup asks for A and for AAAA; both get the answers of the same moment.
    const answers = zone(name, Math.max(0, asked.filter((each) => each === name).length - 1));
    if (answers !== 'silence') socket.send(reply(query, name, answers), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    asked,
    lookup: async (name) => {
      asked.push(name);
      const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const answers = found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      if (answers.length > 0) return answers;
      throw found[0]?.status === 'rejected' ? found[0].reason : new Error('nothing');
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** For programs that have it as the resolver of their system. */
export async function systemNameServer(zone: Zone, address: string): Promise<Omit<NameServer, 'lookup'>> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const name = nameIn(query);
    // It asks for A first.
    if (typeIn(query, name) === typeA) asked.push(name);
    const answers = zone(name, Math.max(0, asked.filter((each) => each === name).length - 1));
    if (answers !== 'silence') socket.send(reply(query, name, answers), from.port, from.address);
  });
  socket.bind(53, address);
  await once(socket, 'listening');
  return { asked, [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())) };
}

const typeIn = (query: Buffer, name: string): number => query.readUInt16BE(12 + name.length + 2);

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.').toLowerCase();
}

function reply(query: Buffer, name: string, answers: readonly string[] | null): Buffer {
  const question = query.subarray(12, 12 + name.length + 2 + 4);
  const type = typeIn(query, name);
  const size = type === typeA ? 4 : 16;
  const matching = (answers ?? []).filter((each) => (type === typeAAAA) === each.includes(':'));
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(answers === null ? 0x81_83 : 0x81_80, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(matching.length, 6);
  return Buffer.concat([header, question, ...matching.map((address) => record(address, type, size))]);
}

/** The name is a pointer to that of the question; it may not be kept. */
function record(address: string, type: number, size: number): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc0_0c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(size, 10);
  return Buffer.concat([head, Buffer.from(ipaddr.parse(address).toByteArray())]);
}
