/** Hosts as allow and deny lists name them: `example.com`, `*.example.com`, `example.com:8443`, `*`. Pure. */
import { canonicalHost } from './host.ts';
import { readIp } from './ip.ts';

export interface HostPattern {
  /** Pattern as it is written. */
  readonly text: string;
  /** Host in the form of `canonicalHost`, an IPv6 address without brackets; `*` for every host. */
  readonly host: string;
  /** `*.example.com`: only names below it. */
  readonly onlyBelow: boolean;
  /** Port of this pattern alone; `null`: the usual ones. */
  readonly port: number | null;
}

const everyHost = '*';
/** RFC 1035, 2.3.4. */
const longestName = 253;

/**
 * Names below which strangers register names of their own: `*.github.io` lets in the pages of everybody. The registries'
 * second levels (`co.uk`) follow from a rule; these do not.
 */
const sharedSuffixes = new Set([
  'amazonaws.com',
  'appspot.com',
  'azureedge.net',
  'azurewebsites.net',
  'blob.core.windows.net',
  'cloudapp.net',
  'cloudfront.net',
  'firebaseapp.com',
  'fly.dev',
  'github.io',
  'gitlab.io',
  'herokuapp.com',
  'netlify.app',
  'ngrok.io',
  'ngrok-free.app',
  'onrender.com',
  'pages.dev',
  'readthedocs.io',
  's3.amazonaws.com',
  'trycloudflare.com',
  'vercel.app',
  'web.app',
  'windows.net',
  'workers.dev',
]);
const secondLevel = /^(?:ac|co|com|edu|go|gob|gov|gr|id|mil|ne|net|nom|or|org|sch)\.[a-z]{2}$/;

/** Any text but a pattern gives the reason, in words for the one who wrote it. */
export function hostPattern(text: string): HostPattern | string {
  const { named, digits } = split(text);
  const port = digits === null ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return `${digits} is no port`;
  if (named === everyHost) return { text, host: everyHost, onlyBelow: false, port };
  const onlyBelow = named.startsWith('*.');
  const host = bareHost(onlyBelow ? named.slice(2) : named);
  if (host === null) return 'it is no host, such as example.com, *.example.com or example.com:8443';
  if (!onlyBelow) return { text, host, onlyBelow, port };
  if (readIp(host) !== null) return 'nothing is below an address';
  return { text, host, onlyBelow, port };
}

function split(text: string): { readonly named: string; readonly digits: string | null } {
  const [, named = text, digits = null] = /^(.*[^:]|\[[^\]]*\]):(\d{1,5})$/.exec(text) ?? [];
  // The last group of an IPv6 address without brackets belongs to the address: it cannot be a port.
  return named.includes(':') && !named.startsWith('[') ? { named: text, digits: null } : { named, digits };
}

/** A host as records and patterns have it: `canonicalHost`, but an IPv6 address without brackets. */
export function bareHost(text: string): string | null {
  const host = canonicalHost(text)?.replace(/^\[|\]$/g, '') ?? null;
  return host === null || host === '' || host.length > longestName ? null : host;
}

/** Why a pattern lets in more than one party. `null`: it does not, as far as is known, or says so by `*`. */
function strangersProblem({ host, onlyBelow }: HostPattern): string | null {
  const isShared = onlyBelow && (!host.includes('.') || secondLevel.test(host) || sharedSuffixes.has(host));
  return isShared ? `strangers register names below ${host}: name the hosts that are meant` : null;
}

/** `host`: as `bareHost` has it. */
export function isWithin(pattern: HostPattern, host: string): boolean {
  if (pattern.host === everyHost) return true;
  return pattern.onlyBelow ? host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

/** Mail is sent by servers, and by those who send what was not asked for. */
const smtp = 25;

/** `null`: it may be listed. Words for the one who wrote it otherwise. */
export function portProblem(port: number): string | null {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return 'it is no port';
  return port === smtp ? 'port 25 is never opened' : null;
}

/** `null`: it may be allowed. Words for the one who wrote it otherwise. */
export function allowProblem(text: string): string | null {
  const read = hostPattern(text);
  return typeof read === 'string'
    ? read
    : (strangersProblem(read) ?? (read.port === null ? null : portProblem(read.port)));
}
