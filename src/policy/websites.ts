/** Hosts that a command names, as far as they are written in it, and which of them the website policy blocks. */
import { canonicalHost, hostPart } from '../values/host.ts';
import type { Websites } from '../network/websites.ts';
import { expandBraces } from '../shell/braces.ts';
import { isFetcher, isInterpreter, isShell } from '../shell/shells.ts';
import { type Analysis, hole, type Simple } from '../shell/types.ts';
import type { Finding } from './types.ts';

/** Take a host without a scheme. */
const takesHost =
  /^(?:wget2|curlie|axel|xhs|links2?|elinks|w3m|httrack|yt-dlp|youtube-dl|telnet|netcat|openssl|irm|invoke-restmethod|ftp|lftp|tftp|sftp|ssh|mosh|chromium|google-chrome|firefox|xdg-open|docker|podman|nerdctl|skopeo|crane|go)$/;
/** Take `host:path`. */
const takesRemote = /^(?:git|ssh|scp|sftp|rsync|mosh)$/;
const readsList = /^(?:xargs|parallel)$/;

/** Beginning of an address, in a word of its own or in the text of a program. One slash less or more still makes an address. */
const begins = /(?:(?:https?|ftps?|wss?):[/\\]{0,8}|:\/\/)/gi;
const maxAuthority = 2048;
/** Readings of addresses in one word. */
const maxAddresses = 6000;

/** Programs disagree about where the host of a strange address ends: each reading counts. */
const ends = [/[/?#]/, /[/?#\\]/, /[/?#\\\s"'`<>(),;|&]/];

export function blockedSites({ commands }: Analysis, websites: Websites): readonly Finding[] {
  const known = new Map<string, readonly string[]>();
  return commands.flatMap((command) =>
    textsOf(command).flatMap(({ text, start, end }) => {
      if (!text.includes(':') && !text.startsWith('/dev/') && !takesBareHost(command.program)) return [];
      // Many commands may have the same long input.
      const addresses = known.get(text) ?? addressed(text);
      known.set(text, addresses);
      const hosts = [...addresses, ...devices(text), ...bareHosts(text, command.program)];
      const found = new Set(hosts.flatMap(readable).flatMap((host) => canonicalHost(host) ?? []));
      const blocked = [...found].flatMap((host) => findingOf(host, websites));
      const rest = addresses.length > maxAddresses ? [tooMany] : [];
      return [...blocked, ...rest].map((each) => ({ ...each, start, end }));
    }),
  );
}

const tooMany = { rule: 'website', description: 'more addresses than can be checked' };

function findingOf(host: string, websites: Websites): readonly Pick<Finding, 'rule' | 'description'>[] {
  const rule = websites.find(host);
  if (rule === null) return [];
  return [{ rule: `website(${rule.text})`, description: `${host} is blocked by the website policy of ${rule.source}` }];
}

interface Text {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function textsOf(command: Simple): readonly Text[] {
  const { program, words, redirects, assignments, stdin, start, end } = command;
  const targets = redirects.map(({ target }) => target);
  const values = assignments.map((each) => ({ ...each, text: each.value }));
  const input = stdin !== null && readsAddresses(program) ? [{ text: stdin, start, end }] : [];
  return [...words, ...targets, ...values, ...input];
}

/** Whether addresses in its input are more than text to it. */
const readsAddresses = (program: string | null): boolean =>
  isFetcher(program) || isShell(program) || isInterpreter(program) || readsList.test(program ?? '');

/** In all its readings; more than `maxAddresses` where it holds more than can be looked at. */
function addressed(text: string): readonly string[] {
  const hosts: string[] = [];
  for (const { index, 0: begin } of text.matchAll(begins)) {
    const from = index + begin.length;
    for (const host of authorities(text.slice(from, from + maxAuthority))) hosts.push(host);
    if (hosts.length > maxAddresses) break;
  }
  return hosts;
}

function authorities(rest: string): readonly string[] {
  return ends.map((end) => hostPart(rest.split(end, 1)[0] ?? ''));
}

/** What bash opens as a connection. */
const devices = (text: string): readonly string[] => /^\/dev\/(?:tcp|udp)\/([^/]+)\//.exec(text)?.slice(1) ?? [];

const takesBareHost = (program: string | null): boolean =>
  program !== null && (isFetcher(program) || takesHost.test(program));

function bareHosts(text: string, program: string | null): readonly string[] {
  if (program === null || text.length > maxAuthority) return [];
  const remote = takesRemote.test(program) ? (/^(?:[^@:/]*@)?(\[[^\]]*\]|[^@:/]+):/.exec(text)?.slice(1) ?? []) : [];
  if (!takesBareHost(program)) return remote;
  return [...remote, ...valuesOf(text).flatMap(hostsOfValue)];
}

/** `--url=HOST`, `-xHOST`. */
function valuesOf(text: string): readonly string[] {
  const glued = /^-[a-zA-Z](?=[^-])/.test(text) ? [text.slice(2)] : [];
  return [text.replace(/^-*[\w-]+=/, ''), ...glued];
}

function hostsOfValue(value: string): readonly string[] {
  const header = /^host\s*:\s*(\S+)$/i.exec(value)?.slice(1) ?? [];
  // `--resolve HOST:443:ADDRESS`, `--connect-to ::HOST:443`, `-L 8080:HOST:80`, `TCP:HOST:80`
  const pieces = /^[^/@[\]]*:[^/@[\]]*:/.test(value) ? value.split(':') : [];
  return [...header, ...pieces, ...value.split(',').flatMap((each) => authorities(each.replace(/^\/\//, '')))];
}

/** What is certain about a host of which parts are not known before; braces as curl expands them. */
function readable(host: string): readonly string[] {
  if (!host.includes(hole)) return host.includes('{') ? expandBraces(host) : [host];
  const [first = '', last = ''] = [host.slice(0, host.indexOf(hole)), host.slice(host.lastIndexOf(hole) + 1)];
  return [first, last.startsWith('.') ? `unknown${last}` : last];
}
