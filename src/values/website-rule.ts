/** A line of the website policy: `example.com` and everything below it, or `*.example.com`, only what is below it. */
import { isIPv6 } from 'node:net';
import { canonicalHost, hostPart } from './host.ts';

export interface WebsiteRule {
  /** Rule as it is written. */
  readonly text: string;
  readonly host: string;
  readonly onlyBelow: boolean;
}

/** A range of addresses does not name a site; its first address alone would be something else than what was meant. */
const range = /^(?:[\d.]+|[\da-f:]*:[\da-f:]*)\/\d{1,3}$/i;

/** Takes addresses too, with scheme, port or account, and looks at their host alone. `null`: it names no host. */
export function websiteRule(text: string): WebsiteRule | null {
  const trimmed = text.trim();
  if (range.test(trimmed)) return null;
  const authority = trimmed.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#\\][^]*$/, '');
  const named = isIPv6(authority) ? authority : hostPart(authority);
  const onlyBelow = named.startsWith('*.');
  const host = canonicalHost(onlyBelow ? named.slice(2) : named);
  return host === null ? null : { text: trimmed, host: onlyBelow ? host : withoutWww(host), onlyBelow };
}

/** The `www.` of a site does not name a site of its own; `www.com` does. */
function withoutWww(host: string): string {
  const rest = host.startsWith('www.') ? host.slice(4) : host;
  return rest.includes('.') ? rest : host;
}
