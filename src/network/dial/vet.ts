/** The addresses of a URL that may be connected to: resolved here, once, and judged all together. */
import { lookup } from 'node:dns/promises';
import { isCode, CaissonError } from '../../errors.ts';
import type { AddressRules } from '../address/types.ts';
import type { AddressVerdict } from '../types.ts';
import { readIp } from '../../values/ip.ts';
import { hostOf, judgeHost, judgeUrl } from '../address/url.ts';

/** Rejects, or gives nothing, when the name is not known. */
export type Lookup = (name: string) => Promise<readonly string[]>;

export interface VetInput {
  /** Reads the address rules that hold now. */
  readonly rules: () => AddressRules;
  readonly lookup: Lookup;
  readonly lookupTimeoutMs: number;
  /**
   * Origins that the operator wrote into the configuration. One that is an address, or localhost, is connected to as it is
   * written; a name is judged as any other, since its owner decides where it leads.
   */
  readonly written?: ReadonlySet<string>;
}

/** Resolves names by the system's resolver, which every other program of this host uses too. */
export const systemLookup: Lookup = async (name) => (await lookup(name, { all: true })).map(({ address }) => address);

/** Throws `policy_denied`, and `unavailable` for a lookup that failed: what is not known is not connected to. */
export async function vettedAddresses(url: URL, parts: VetInput): Promise<readonly string[]> {
  const { addresses, ...verdict } = await judgeResolved(url, parts);
  mustAllow(verdict);
  return addresses;
}

/** What is blocked by its name or its scheme is not looked up. Throws as `vettedAddresses` does for a failed lookup. */
export async function judgeResolved(
  url: URL,
  parts: VetInput,
): Promise<AddressVerdict & { readonly addresses: readonly string[] }> {
  const { name } = hostOf(url);
  const known = knownVerdict(url, parts);
  if (known !== null) return { ...known, addresses: name === 'localhost' ? loopback : [name] };
  const addresses = await resolved(name, parts);
  return { ...judgeUrl(url, parts.rules(), addresses), addresses };
}

/** What is blocked without a lookup. Throws `policy_denied`. */
export function refuseBlocked(url: URL, parts: VetInput): void {
  const known = knownVerdict(url, parts);
  if (known !== null) mustAllow(known);
}

const loopback: readonly string[] = ['127.0.0.1', '::1'];

/** `null`: the addresses of its name decide. */
function knownVerdict(url: URL, { rules, written }: VetInput): AddressVerdict | null {
  const { name } = hostOf(url);
  const isPlain = readIp(name) !== null || name === 'localhost';
  if (isPlain && written?.has(url.origin) === true) return { verdict: 'allow', reason: 'as the operator wrote it' };
  return judgeHost(url, rules());
}

function mustAllow({ verdict, reason }: AddressVerdict): void {
  if (verdict === 'allow') return;
  throw new CaissonError('policy_denied', `the address is blocked: ${reason}`, {
    remedy: 'network.allow_private in the configuration file opens single addresses of private networks',
  });
}

/** Throws `unavailable` for a name that is not resolved, `timed_out` for a lookup that takes too long. */
export async function resolved(
  name: string,
  { lookup, lookupTimeoutMs }: Pick<VetInput, 'lookup' | 'lookupTimeoutMs'>,
): Promise<readonly string[]> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new CaissonError('timed_out', 'the lookup took too long')), lookupTimeoutMs);
  try {
    const answers = await Promise.race([lookup(name), late]);
    if (answers.length > 0) return answers;
  } catch (error) {
    throw notResolvedError(name, error);
  } finally {
    clearTimeout(timer);
  }
  throw notResolvedError(name, undefined);
}

function notResolvedError(name: string, cause: unknown): CaissonError {
  if (isCode(cause, 'timed_out')) return cause;
  return new CaissonError('unavailable', `${JSON.stringify(name)} is not resolved`, {
    cause,
    remedy: 'look whether the name is right, and whether this host reaches its name servers',
  });
}
