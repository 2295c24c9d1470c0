/** Addresses, and what the registries of IANA say that they are for. Pure. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type Ip = ipaddr.IPv4 | ipaddr.IPv6;

export type Purpose =
  | 'public'
  | 'private'
  | 'shared'
  | 'loopback'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'broadcast'
  | 'unspecified'
  | 'tunnel'
  | 'reserved';

/** Services of clouds that give credentials away; those that are no link-local addresses. */
const metadata = new Set(['168.63.129.16', '169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd20:ce::254']);
const metadataRange = ipaddr.IPv6.parseCIDR('fd00:ec2::/32');
/** RFC 4291: what is unicast and on the internet is in here. */
const globalRange = ipaddr.IPv6.parseCIDR('2000::/3');
/** RFC 3701: given back, and announced by no one. */
const sixBone = ipaddr.IPv6.parseCIDR('3ffe::/16');
/** RFC 4291, 2.5.5.1. `ipaddr.js` calls it unicast. */
const compatibleRange = ipaddr.IPv6.parseCIDR('::/96');

/**
 * Strict: only what inet_pton(3) takes, without a zone. An IPv4-mapped address is its IPv4 address, since a socket that
 * connects to it speaks IPv4. `null`: no address.
 */
export function readIp(text: string): Ip | null {
  return isIP(text) === 0 || text.includes('%') ? null : ipaddr.process(text);
}

export function purposeOf(ip: Ip): Purpose {
  if (metadata.has(ip.toString())) return 'metadata';
  return ip instanceof ipaddr.IPv4 ? purposes4[ip.range()] : purposeOf6(ip);
}

const purposes4: Readonly<Record<ReturnType<ipaddr.IPv4['range']>, Purpose>> = {
  unicast: 'public',
  private: 'private',
  carrierGradeNat: 'shared',
  loopback: 'loopback',
  linkLocal: 'link-local',
  multicast: 'multicast',
  broadcast: 'broadcast',
  unspecified: 'unspecified',
  reserved: 'reserved',
  as112: 'reserved',
  amt: 'reserved',
  benchmarking: 'reserved',
};

function purposeOf6(ip: ipaddr.IPv6): Purpose {
  const range = ip.range();
  if (range === 'uniqueLocal') return ip.match(metadataRange) ? 'metadata' : 'private';
  const own = purposes6[range];
  if (own !== undefined) return own;
  if (ip.match(compatibleRange) || isIsatap(ip)) return 'tunnel';
  const isPublic = range === 'unicast' && ip.match(globalRange) && !ip.match(sixBone);
  return isPublic ? 'public' : 'reserved';
}

/** Those that have the same meaning wherever they stand. An address that holds another one is a tunnel. */
const purposes6: Readonly<Partial<Record<ReturnType<ipaddr.IPv6['range']>, Purpose>>> = {
  loopback: 'loopback',
  unspecified: 'unspecified',
  linkLocal: 'link-local',
  multicast: 'multicast',
  rfc6052: 'tunnel',
  rfc6145: 'tunnel',
  '6to4': 'tunnel',
  teredo: 'tunnel',
};

/** RFC 5214, 6.1: the identifier holds an IPv4 address; the universal bit may be set. */
function isIsatap({ parts }: ipaddr.IPv6): boolean {
  return ((parts[4] ?? 0) & ~0x0300) === 0 && parts[5] === 0x5efe;
}
