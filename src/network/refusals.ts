/**
 * Destinations that are closed to sandboxes whose network is `open`: this host, metadata services, engines, and private networks
 * unless they are opened. IPv4: those networks have no IPv6.
 */
import { readFileSync } from 'node:fs';
import type { Refusals } from '../backend.ts';
import type { Loaded } from '../config/types.ts';
import { type Destination, parseDestination } from '../values/destination.ts';
import { purposeOf, readIp } from '../values/ip.ts';
import { engineAddresses, ownAddresses } from './address/here.ts';

/** Link-local addresses and those of metadata services, and what stands for no host (IANA, special-purpose addresses). */
const always = ['0.0.0.0/8', '169.254.0.0/16', '168.63.129.16/32', '100.100.100.200/32', '224.0.0.0/4', '240.0.0.0/4'];
/** Ranges of private networks, carriers and benchmarks (RFC 1918, 6598, 6890, 2544). */
const unlessOpened = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
];

/** The second is what systemd-resolved asks, where the first names only itself; engines look there too. */
const resolverFiles = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'] as const;
const dnsPort = 53;

interface Here {
  readonly own: Iterable<string>;
  readonly engines: readonly string[];
  /** Engines ask the resolvers of the host from within the network of a sandbox, and some clouds have them at a metadata service. */
  readonly resolvers: readonly string[];
}

type PrivateNetworkRules = Pick<Loaded['config']['network'], 'open_private' | 'allow_private'>;

export function refusalsIn({ config, env }: Pick<Loaded, 'config' | 'env'>): Refusals {
  const engines = engineAddresses(env).flatMap(({ address }) => (address === null ? [] : [address]));
  return refusalsOf(config.network, {
    own: ownAddresses(),
    engines,
    resolvers: resolversIn(resolverFiles.map(textOf)),
  });
}

/** Pure. */
export function refusalsOf(
  { open_private: isOpen, allow_private: allowed }: PrivateNetworkRules,
  here: Here,
): Refusals {
  const hosts = [...here.own, ...here.engines].filter(isHost).map((address) => `${address}/32`);
  const opened = allowed.flatMap((text) => destinationIn(text)).filter(({ address }) => isHost(address));
  const resolvers = here.resolvers.filter(isHost).map((address) => ({ address, port: dnsPort }));
  return {
    ranges: [...new Set([...always, ...(isOpen === true ? [] : unlessOpened), ...hosts])],
    opened: [...resolvers, ...opened],
  };
}

/** Addresses of the resolvers that texts in the form of resolv.conf(5) name. Pure. */
export function resolversIn(texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) =>
    [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map(([, name = '']) => name),
  );
  return [...new Set(found)];
}

function destinationIn(text: string): readonly Destination[] {
  const read = parseDestination(text);
  return typeof read === 'string' ? [] : [read];
}

/** Loopback is the sandbox's own. */
function isHost(text: string): boolean {
  const ip = readIp(text);
  return ip?.kind() === 'ipv4' && purposeOf(ip) !== 'loopback';
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It may be absent.
  }
}
