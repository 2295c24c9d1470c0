/**
 * The special-purpose registries of IANA for IPv4 and IPv6 addresses (RFC 6890 and its updates), with the ranges of
 * multicast and of site-local addresses, which have registries of their own. Read by arithmetic alone, so that it shares
 * no code with what it checks. Blocks that the registry calls globally reachable are in it: they are relays, anycast
 * services and identifiers, and no web server has one.
 */

type Row = readonly [prefix: string, name: string];

const four: readonly Row[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link local'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.0/24', 'IETF protocol assignments'],
  ['192.0.0.9/32', 'port control protocol anycast'],
  ['192.0.0.10/32', 'TURN anycast'],
  ['192.0.0.170/32', 'NAT64/DNS64 discovery'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112-v4'],
  ['192.52.193.0/24', 'AMT'],
  ['192.88.99.0/24', '6to4 relay anycast'],
  ['192.168.0.0/16', 'private use'],
  ['192.175.48.0/24', 'direct delegation AS112 service'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['255.255.255.255/32', 'limited broadcast'],
];

/** Groups in full, so that no shortening has to be read. */
const six: readonly Row[] = [
  ['0:0:0:0:0:0:0:1/128', 'loopback'],
  ['0:0:0:0:0:0:0:0/128', 'unspecified'],
  ['64:ff9b:0:0:0:0:0:0/96', 'IPv4-IPv6 translation'],
  ['64:ff9b:1:0:0:0:0:0/48', 'IPv4-IPv6 translation'],
  ['100:0:0:0:0:0:0:0/64', 'discard only'],
  ['100:0:0:1:0:0:0:0/64', 'dummy prefix'],
  ['2001:0:0:0:0:0:0:0/23', 'IETF protocol assignments'],
  ['2001:0:0:0:0:0:0:0/32', 'Teredo'],
  ['2001:1:0:0:0:0:0:1/128', 'port control protocol anycast'],
  ['2001:1:0:0:0:0:0:2/128', 'TURN anycast'],
  ['2001:1:0:0:0:0:0:3/128', 'DNS-SD SRP anycast'],
  ['2001:2:0:0:0:0:0:0/48', 'benchmarking'],
  ['2001:3:0:0:0:0:0:0/32', 'AMT'],
  ['2001:4:112:0:0:0:0:0/48', 'AS112-v6'],
  ['2001:10:0:0:0:0:0:0/28', 'ORCHID'],
  ['2001:20:0:0:0:0:0:0/28', 'ORCHIDv2'],
  ['2001:30:0:0:0:0:0:0/28', 'drone remote ids'],
  ['2001:db8:0:0:0:0:0:0/32', 'documentation'],
  ['2002:0:0:0:0:0:0:0/16', '6to4'],
  ['2620:4f:8000:0:0:0:0:0/48', 'direct delegation AS112 service'],
  ['3fff:0:0:0:0:0:0:0/20', 'documentation'],
  ['5f00:0:0:0:0:0:0:0/16', 'segment routing'],
  ['fc00:0:0:0:0:0:0:0/7', 'unique local'],
  ['fe80:0:0:0:0:0:0:0/10', 'link local'],
  ['fec0:0:0:0:0:0:0:0/10', 'site local'],
  ['ff00:0:0:0:0:0:0:0/8', 'multicast'],
];

export interface Block {
  readonly name: string;
  readonly first: bigint;
  readonly last: bigint;
}

const numberOf = (parts: readonly number[], bits: number): bigint =>
  parts.reduce((sum, part) => (sum << BigInt(bits)) | BigInt(part), 0n);

function blockOf([prefix, name]: Row): Block {
  const [address = '', length = ''] = prefix.split('/');
  const isFour = address.includes('.');
  const first = isFour
    ? numberOf(address.split('.').map(Number), 8)
    : numberOf(
        address.split(':').map((group) => Number.parseInt(group, 16)),
        16,
      );
  return { name, first, last: first + (1n << BigInt((isFour ? 32 : 128) - Number(length))) - 1n };
}

export const blocks4 = four.map(blockOf);
export const blocks6 = six.map(blockOf);

/** What no registry has: the wire server of Azure, which answers on a public address. */
const wireServer = 0xa8_3f_81_10n;
const mapped = 0xffffn;

const within = (blocks: readonly Block[], address: bigint): boolean =>
  blocks.some(({ first, last }) => address >= first && address <= last);

export const isBlocked4 = (address: bigint): boolean => address === wireServer || within(blocks4, address);

/** Only 2000::/3 is on the internet (RFC 4291, 2.4); of it neither 6bone (RFC 3701) nor ISATAP (RFC 5214). */
export function isBlocked6(address: bigint): boolean {
  if (address >> 32n === mapped) return isBlocked4(address & 0xffff_ffffn);
  const isIsatap = ((address >> 32n) & 0xfdff_ffffn) === 0x5efen;
  return within(blocks6, address) || address >> 125n !== 1n || address >> 112n === 0x3ffen || isIsatap;
}
