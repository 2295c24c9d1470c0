/** Whether a URL may be fetched: its scheme, its host and all that the host resolves to. Pure. */
import { readIp } from '../../values/ip.ts';
import { block, judgeAddress, shown } from './address.ts';
import { reasonAgainstName } from './names.ts';
import type { AddressRules, AddressVerdict, UrlQuery } from './types.ts';

/** As many as browsers follow is more than any service needs. */
export const mostRedirects = 10;

/** The URL and all its redirects. */
export function judgeUrls({ url, dns, redirects = [] }: UrlQuery, rules: AddressRules): AddressVerdict {
  if (redirects.length > mostRedirects) return block(`more than ${mostRedirects} redirects`);
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
  const host = targetOf(url);
  if (typeof host === 'string') return block(host);
  const site = rules.blockedSite(host.name);
  if (site !== null) return block(site);
  if (readIp(host.name) !== null) return judgeAddress(host.name, host.port, rules);
  const against = reasonAgainstName(host.name);
  if (against !== null) return block(`${shown(host.name)} is ${against}`);
  if (answers === null || answers.length === 0) return block('not resolved');
  return judgeAnswers(answers, host, rules);
}

/** One bad answer blocks: which one a program connects to is a matter of chance. */
function judgeAnswers(answers: readonly string[], { name, port }: Target, rules: AddressRules): AddressVerdict {
  const bad = answers.map((answer) => judgeAddress(answer, port, rules)).find(({ verdict }) => verdict === 'block');
  if (bad !== undefined) return block(`${shown(name)} resolves to a blocked address: ${bad.reason}`);
  return { verdict: 'allow', reason: `every address of ${shown(name)} may be connected to` };
}

export interface Target {
  /** A name, lower case and without a dot at its end, or an address without brackets. */
  readonly name: string;
  readonly port: number;
}

/** A URL that cannot be fetched gives the reason. */
export function targetOf({ protocol, hostname, port }: URL): Target | string {
  if (protocol !== 'http:' && protocol !== 'https:') return `the scheme ${shown(protocol)} is neither http: nor https:`;
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
  if (name === '') return 'it names no host';
  return { name, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}
