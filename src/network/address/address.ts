/** Whether an address may be connected to. Pure. */
import { type Ip, type Purpose, purposeOf, readIp } from '../../values/ip.ts';
import { translated } from '../../values/nat64.ts';
import type { AddressRules } from './types.ts';
import type { AddressVerdict } from '../types.ts';

const words: Readonly<Record<Exclude<Purpose, 'public'>, string>> = {
  private: 'a private address',
  shared: 'a shared address of a carrier or a VPN',
  loopback: 'a loopback address',
  'link-local': 'a link-local address',
  metadata: 'the metadata service of a cloud',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  unspecified: 'an unspecified address',
  tunnel: 'an address that holds an IPv4 address',
  reserved: 'a reserved address',
};

export function judgeAddress(text: string, port: number, rules: AddressRules): AddressVerdict {
  const read = readIp(text);
  if (read === null) return block(`${shown(text)} is no address${text.includes('%') ? ' without a zone' : ''}`);
  const ip = translated(read, rules.nat64);
  const address = ip === read ? ip.toString() : `${ip.toString()}, which ${read.toString()} is translated to,`;
  const why = reasonAgainst(ip, port, rules);
  return why === null ? { verdict: 'allow', reason: `${address} may be connected to` } : block(`${address} is ${why}`);
}

/** `null`: nothing is against it. */
function reasonAgainst(ip: Ip, port: number, { own, engines, opened }: AddressRules): string | null {
  const address = ip.toString();
  if (engines.some((engine) => engine.port === port && (engine.address ?? address) === address))
    return 'where a container engine listens';
  const purpose = purposeOf(ip);
  if (purpose === 'public') return own.has(address) ? 'an address of this host' : null;
  // `destinationOf` has let in nothing but private addresses.
  return opened.some((each) => each.address === address && each.port === port) ? null : words[purpose];
}

export const block = (reason: string): AddressVerdict => ({ verdict: 'block', reason });

const maxShown = 100;

/** Texts of others, which may hold anything and be long. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}...` : text);
