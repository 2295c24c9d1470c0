/** What is to be protected on this host: its own addresses, and engines that listen on the network. */
import { networkInterfaces } from 'node:os';
import { readIp } from '../../values/ip.ts';
import type { EngineAddress } from './types.ts';

/** Interfaces come and go, but to read them all takes longer than a verdict. */
const heldMs = 250;

let held: { readonly addresses: ReadonlySet<string>; readonly at: number } | null = null;

/** Addresses that this host had at most a quarter of a second ago. */
export function ownAddresses(): ReadonlySet<string> {
  const now = performance.now();
  if (held === null || now - held.at > heldMs) held = { addresses: readAddresses(), at: now };
  return held.addresses;
}

function readAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return new Set(all.flatMap(({ address }) => readIp(address.replace(/%.*$/, ''))?.toString() ?? []));
}

export function engineAddresses(env: Readonly<Record<string, string | undefined>>): readonly EngineAddress[] {
  return [env['DOCKER_HOST'], env['CONTAINER_HOST']].flatMap((text) => engineAt(text ?? ''));
}

function engineAt(text: string): readonly EngineAddress[] {
  const url = URL.parse(text.replace(/^(?:tcp|https?):/i, 'http:'));
  if (url === null || url.protocol !== 'http:') return [];
  const address = readIp(url.hostname.replace(/^\[|\]$/g, ''))?.toString() ?? null;
  return [{ address, port: url.port === '' ? 2375 : Number(url.port) }];
}
