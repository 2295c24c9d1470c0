/** Hosts in the one form in which they are compared, whatever form they are written in. */
import { isIPv6 } from 'node:net';

/** What a name for a host never holds; what is unknown about a word is U+0000. */
const foreign = /[\s/?#@\\<>^|*\0]/;

/**
 * Host in the form of the WHATWG URL parser: lower case, punycode, addresses in their usual notation, without a dot at the end; an
 * IPv4 address inside an IPv6 one is that address. `null`: no host.
 */
export function canonicalHost(text: string): string | null {
  const bracketed = isIPv6(text) ? `[${text}]` : text;
  const bare = withoutDot(bracketed.replace(/%[^\]]*\]$/, ']'));
  if (bare === '' || foreign.test(bare) || (bare.includes(':') && !/^\[[^\]]*\]$/.test(bare))) return null;
  const parsed = URL.canParse(`http://${bare}/`) ? withoutDot(new URL(`http://${bare}/`).hostname) : null;
  // Lenient resolvers still look up a label that is invalid punycode.
  return parsed === null ? (/^[\w.-]+$/.test(bare) ? bare.toLowerCase() : null) : unmapped(parsed);
}

/** The host of `user:password@host:port`. */
export function hostPart(authority: string): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return /^\[[^\]]*\]/.exec(host)?.[0] ?? host.split(':', 1)[0] ?? '';
}

/** Dots as other scripts write them end a name, too. */
const withoutDot = (host: string): string => host.replace(/[.\u3002\uff0e\uff61]+$/, '');

function unmapped(host: string): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const halves = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return halves.flatMap((half) => [half >> 8, half & 255]).join('.');
}
