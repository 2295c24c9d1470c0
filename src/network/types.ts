/** Verdicts about URLs, as front ends and callers of the package see them. Types only. */

export interface AddressVerdict {
  /** Whether a connection to the address would be allowed. */
  readonly verdict: 'allow' | 'block';
  /** For people. */
  readonly reason: string;
}

export interface UrlQuery {
  /** URL to judge. */
  readonly url: string;
  /** What every name in it resolves to. Absent: nothing is known, and nothing is looked up. */
  readonly dns?: readonly string[];
  /** Targets of redirects in their order, each relative to the one before. */
  readonly redirects?: readonly string[];
}

export type UrlChecker = (query: UrlQuery) => AddressVerdict;
