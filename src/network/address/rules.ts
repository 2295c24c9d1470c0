/** The rules of a configuration, for verdicts about addresses. */
import { CaissonError } from '../../errors.ts';
import { type Destination, parseDestination } from '../../values/destination.ts';
import { type Nat64Prefix, nat64Prefix } from '../../values/nat64.ts';
import type { Websites } from '../websites.ts';
import { canonicalHost } from '../../values/host.ts';
import { engineAddresses, ownAddresses } from './here.ts';
import type { AddressRules } from './types.ts';

export interface AddressRulesInput {
  readonly allowPrivate: readonly string[];
  readonly nat64Prefix: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly websites: Websites;
}

/** Throws `invalid_argument`. */
export function addressRules({ allowPrivate, nat64Prefix: prefix, env, websites }: AddressRulesInput): AddressRules {
  return {
    opened: allowPrivate.map(readDestination),
    nat64: prefix === null ? null : readPrefix(prefix),
    own: ownAddresses(),
    engines: engineAddresses(env),
    blockedSite: (name) => {
      const host = canonicalHost(name);
      const rule = host === null ? null : websites.find(host);
      return rule === null ? null : `${host} is blocked by the website policy of ${rule.source}`;
    },
  };
}

function readDestination(text: string): Destination {
  const read = parseDestination(text);
  if (typeof read !== 'string') return read;
  throw new CaissonError('invalid_argument', `${JSON.stringify(text)} cannot be opened: ${read}`);
}

function readPrefix(text: string): Nat64Prefix {
  const read = nat64Prefix(text);
  if (read !== null) return read;
  throw new CaissonError('invalid_argument', `${JSON.stringify(text)} is no prefix of NAT64`, {
    remedy: 'write one of 32, 40, 48, 56, 64 or 96 bits, such as 64:ff9b::/96',
  });
}
