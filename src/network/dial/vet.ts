/** The addresses of a URL that may be connected to: resolved here, once, and judged all together. */
import { lookup } from 'node:dns/promises';
import { isCode, CaissonError } from '../../errors.ts';
import type { AddressRules } from '../address/types.ts';
import type { AddressVerdict } from '../types.ts';
import { hostOf, judgeHost, judgeUrl } from '../address/url.ts';

/** Rejects, or gives nothing, when the name is not known. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export interface VetParts {
  /** As they hold now. */
  readonly rules: () => AddressRules;
  readonly lookup: Lookup;
  readonly lookupTimeoutMs: number;
}

/** By the system's resolver, as every other program of this host. */
export const systemLookup: Lookup = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/** Throws `policy_denied`, and `unavailable` for a lookup that failed: what is not known is not connected to. */
export async function vettedAddresses(url: URL, parts: VetParts): Promise<readonly string[]> {
  const { addresses, ...verdict } = await judgeResolved(url, parts);
  mustAllow(verdict);
  return addresses;
}

/** What is blocked by its name or its scheme is not looked up. Throws as `vettedAddresses` does for a failed lookup. */
export async function judgeResolved(
  url: URL,
  parts: VetParts,
): Promise<AddressVerdict & { readonly addresses: readonly string[] }> {
  const rules = parts.rules();
  const { name } = hostOf(url);
  const known = judgeHost(url, rules);
  if (known !== null) return { ...known, addresses: [name] };
  const addresses = await resolved(name, parts);
  return { ...judgeUrl(url, rules, addresses), addresses };
}

/** What is blocked without a lookup. Throws `policy_denied`. */
export function refuseBlocked(url: URL, rules: AddressRules): void {
  const known = judgeHost(url, rules);
  if (known !== null) mustAllow(known);
}

function mustAllow({ verdict, reason }: AddressVerdict): void {
  if (verdict === 'allow') return;
  throw new CaissonError('policy_denied', `the address is blocked: ${reason}`, {
    remedy: 'network.allow_private in the configuration file opens single addresses of private networks',
  });
}

async function resolved(name: string, { lookup, lookupTimeoutMs }: VetParts): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CaissonError('timed_out', 'the lookup took too long')), lookupTimeoutMs);
  try {
    const answers = await Promise.race([lookup(name), late]);
    if (answers.length > 0) return answers;
  } catch (error) {
    throw notResolved(name, error);
  } finally {
    clearTimeout(timer);
  }
  throw notResolved(name, undefined);
}

function notResolved(name: string, cause: unknown): CaissonError {
  if (isCode(cause, 'timed_out')) return cause;
  return new CaissonError('unavailable', `${JSON.stringify(name)} is not resolved`, {
    cause,
    remedy: 'look whether the name is right, and whether this host reaches its name servers',
  });
}
