/** Whether a URL may be fetched: its scheme, its host and all that the host resolves to. Pure. */
import { readIp } from '../../values/ip.ts';
import { block, judgeAddress, shown } from './address.ts';
import { reasonAgainstName } from './names.ts';
import type { AddressRules } from './types.ts';
import type { AddressVerdict, UrlQuery } from '../types.ts';

/** Ten redirects are more than any service needs; browsers follow twenty (Fetch standard, HTTP-redirect fetch). */
export const maxRedirects = 10;

/** The URL and all its redirects. */
export function judgeUrls({ url, dns, redirects = [] }: UrlQuery, rules: AddressRules): AddressVerdict {
  if (redirects.length > maxRedirects) return block(`more than ${maxRedirects} redirects`);
  let base: string | undefined;
  let last: AddressVerdict | null = null;
  for (const [at, text] of [url, ...redirects].entries()) {
    const target = URL.parse(text, base);
    last = target === null ? block(`${shown(text)} is no absolute URL`) : judgeUrl(target, rules, dns ?? null);
    if (last.verdict === 'block') return at === 0 ? last : block(`redirect ${at}: ${last.reason}`);
    base = target?.href;
  }
  return last ?? block('no URL');
}

/** `answers`: what its name resolves to; `null` and none at all are the same: it is not resolved. */
export function judgeUrl(url: URL, rules: AddressRules, answers: readonly string[] | null): AddressVerdict {
  const known = judgeHost(url, rules);
  if (known !== null) return known;
  if (answers === null || answers.length === 0) return block('not resolved');
  const { name, port } = hostOf(url);
  // One bad answer blocks: which one a program connects to is a matter of chance.
  const bad = answers.map((answer) => judgeAddress(answer, port, rules)).find(({ verdict }) => verdict === 'block');
  if (bad !== undefined) return block(`${shown(name)} resolves to a blocked address: ${bad.reason}`);
  return { verdict: 'allow', reason: `every address of ${shown(name)} may be connected to` };
}

/** What can be said without a lookup. `null`: the addresses of its name decide. */
export function judgeHost(url: URL, rules: AddressRules): AddressVerdict | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return block(`the scheme ${shown(url.protocol)} is neither http: nor https:`);
  const { name, port } = hostOf(url);
  const site = rules.blockedSite(name);
  if (site !== null) return block(site);
  if (readIp(name) !== null) return judgeAddress(name, port, rules);
  const against = reasonAgainstName(name);
  return against === null ? null : block(`${shown(name)} is ${against}`);
}

/** A name in lower case without a dot at its end, or an address without brackets. */
export function hostOf({ protocol, hostname, port }: URL): { readonly name: string; readonly port: number } {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  return { name, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}
