/**
 * `caisson/net`: `fetch` for what fetches URLs of others, such as the web tool of an agent. Every connection goes to an address
 * that was judged, all redirects are judged, and a lookup that fails blocks.
 */
import { CaissonError } from '../errors.ts';
import { websiteRule } from '../values/website-rule.ts';
import { addressRules } from './address/rules.ts';
import type { AddressRules } from './address/types.ts';
import type { AddressVerdict } from './types.ts';
import { Dialler } from './dial/fetch.ts';
import { judgeResolved, systemLookup } from './dial/vet.ts';
import { type Websites, indexWebsites } from './websites.ts';

export { CaissonError, isCode, type Code as ErrorCode } from '../errors.ts';
export type { AddressVerdict } from './types.ts';

export interface NetOptions {
  /** Single private addresses with ports, in the form of `network.allow_private`. */
  readonly allowPrivate?: readonly string[];
  /** Prefix of NAT64, in the form of `network.nat64_prefix`. */
  readonly nat64Prefix?: string | null;
  /** Domains that may not be connected to, in the form of `security.website_blocklist.domains`. */
  readonly blockedDomains?: readonly string[];
  /** 10,000 when absent. */
  readonly lookupTimeoutMs?: number;
  /** For one address. 10,000 when absent. */
  readonly connectTimeoutMs?: number;
}

export interface Net {
  /**
   * Follows the Fetch standard, with these differences: nothing but `http:` and `https:`; at most 10 redirects; to another origin
   * go neither bodies nor headers that may hold a credential; no proxy of the environment is used. Throws `CaissonError`:
   * `policy_denied` for what may not be connected to, `unavailable` for what does not answer or is not resolved.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Looks the name up, and connects to nothing. */
  check(url: string | URL): Promise<AddressVerdict>;
  /** Waits for requests that are under way. */
  close(): Promise<void>;
}

/** Throws `invalid_argument` for an option that cannot hold. */
export function openNet(options: NetOptions = {}): Net {
  const { lookupTimeoutMs = 10_000, connectTimeoutMs = 10_000 } = options;
  const websites = blocked(options.blockedDomains ?? []);
  const { allowPrivate = [], nat64Prefix = null } = options;
  const rules = (): AddressRules => addressRules({ allowPrivate, nat64Prefix, env: process.env, websites });
  rules();
  const vetting = { rules, lookup: systemLookup, lookupTimeoutMs };
  const dialler = new Dialler({ ...vetting, connectTimeoutMs, reach: (address, port) => ({ address, port }) });
  return {
    fetch: dialler.fetch,
    check: async (url) => {
      const target = URL.parse(String(url));
      if (target === null) return { verdict: 'block', reason: 'it is no absolute URL' };
      try {
        const { verdict, reason } = await judgeResolved(target, vetting);
        return { verdict, reason };
      } catch (error) {
        if (!(error instanceof CaissonError)) throw error;
        return { verdict: 'block', reason: error.message };
      }
    },
    close: () => dialler.close(),
  };
}

function blocked(domains: readonly string[]): Websites {
  const rules = domains.map((text) => {
    const rule = websiteRule(text);
    if (rule !== null) return { ...rule, source: 'blockedDomains' };
    throw new CaissonError('invalid_argument', `${JSON.stringify(text)} names no host`);
  });
  return indexWebsites(rules);
}
