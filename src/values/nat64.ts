/** IPv4 addresses inside IPv6 ones, where a translator (NAT64) reaches them by a prefix: RFC 6052, section 2.2. Pure. */
import ipaddr from 'ipaddr.js';
import type { Ip } from './ip.ts';

/** Bytes of the IPv4 address by the length of the prefix: byte 8 stays zero. */
const places: Readonly<Record<number, readonly [number, number, number, number]>> = {
  32: [4, 5, 6, 7],
  40: [5, 6, 7, 9],
  48: [6, 7, 9, 10],
  56: [7, 9, 10, 11],
  64: [9, 10, 11, 12],
  96: [12, 13, 14, 15],
};

export type Nat64Prefix = readonly [ipaddr.IPv6, number];

/** `null`: no prefix of a length that RFC 6052 has, or one with bits behind its length. */
export function nat64Prefix(text: string): Nat64Prefix | null {
  if (!ipaddr.IPv6.isValidCIDR(text)) return null;
  const [base, length] = ipaddr.IPv6.parseCIDR(text);
  const isWhole = base.toString() === ipaddr.IPv6.networkAddressFromCIDR(text).toString();
  return places[length] !== undefined && isWhole && base.zoneId === undefined ? [base, length] : null;
}

/** The address that a translator connects to, for one within the prefix. */
export function translated(ip: Ip, prefix: Nat64Prefix | null): Ip {
  if (prefix === null || ip instanceof ipaddr.IPv4 || !ip.match(...prefix)) return ip;
  const bytes = ip.toByteArray();
  return new ipaddr.IPv4((places[prefix[1]] ?? []).map((place) => bytes[place] ?? 0));
}
