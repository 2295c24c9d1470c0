/** What ~/.ssh/config says about one host (ssh_config(5)), as far as this backend can follow it. */
import { globSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import sshConfig from 'ssh-config';
import { CaissonError } from '../../src/errors.ts';

export interface HostEntry {
  readonly host: string | null;
  readonly port: number | null;
  readonly user: string | null;
  readonly keyFiles: readonly string[];
  readonly knownHostsFiles: readonly string[] | null;
  readonly hostKeyAlias: string | null;
  readonly detour: Detour;
  /** ServerAliveInterval and ServerAliveCountMax. `null`: not said. */
  readonly aliveIntervalMs: number | null;
  readonly aliveCount: number | null;
}

/** How the host is reached: directly, through other hosts one after the other, or over the streams of a command. */
export type Detour =
  | { readonly kind: 'none' }
  | { readonly kind: 'jump'; readonly hops: readonly Hop[] }
  | { readonly kind: 'command'; readonly text: string };

/** One host of ProxyJump; `null` is left to its own entry. */
export interface Hop {
  readonly alias: string;
  readonly user: string | null;
  readonly port: number | null;
}

const deepestInclude = 8;

/** `directory`: where relative includes start. Throws `failed_precondition` for a ProxyJump that cannot be understood. */
export function hostEntry(text: string, alias: string, directory: string): HostEntry {
  const values = valuesFor(withIncludes(text, directory, 0), alias);
  const single = (name: string): string | null => values(name)[0] ?? null;
  const known = values('userknownhostsfile').filter((file) => file.toLowerCase() !== 'none');
  const aliveSeconds = wholeNumber(single('serveraliveinterval'));
  return {
    host: single('hostname')?.replaceAll('%h', alias) ?? null,
    port: parsePort(single('port')),
    user: single('user'),
    keyFiles: values('identityfile').filter((file) => file.toLowerCase() !== 'none'),
    knownHostsFiles: values('userknownhostsfile').length === 0 ? null : known,
    hostKeyAlias: single('hostkeyalias'),
    detour: findDetour(values.names, single),
    aliveIntervalMs: aliveSeconds === null ? null : aliveSeconds * 1000,
    aliveCount: wholeNumber(single('serveralivecountmax')),
  };
}

/** The first of ProxyJump and ProxyCommand counts, also when it says `none` (ssh_config(5)). */
function findDetour(names: readonly string[], single: (name: string) => string | null): Detour {
  const first = names.find((name) => name === 'proxyjump' || name === 'proxycommand');
  const said = first === undefined ? 'none' : (single(first) ?? 'none');
  if (said.toLowerCase() === 'none') return { kind: 'none' };
  return first === 'proxyjump'
    ? { kind: 'jump', hops: said.split(',').map(parseHop) }
    : { kind: 'command', text: said };
}

/** `[user@]host[:port]`, an IPv6 address in brackets, or the same as `ssh://`. */
function parseHop(said: string): Hop {
  const form =
    /^(?:ssh:\/\/)?(?:(?<user>[^@/]+)@)?(?:\[(?<address>[0-9A-Fa-f:.%\w]+)\]|(?<name>[^:@/[\]]+))(?::(?<port>\d{1,5}))?\/?$/;
  const { user = null, address, name, port } = form.exec(said.trim())?.groups ?? {};
  const alias = address ?? name;
  if (alias !== undefined) return { alias, user, port: parsePort(port ?? null) };
  throw new CaissonError('failed_precondition', 'a ProxyJump in ~/.ssh/config cannot be understood', {
    details: { hop: said },
    remedy: 'write it as [user@]host[:port], several with commas',
  });
}

function parsePort(text: string | null): number | null {
  const port = wholeNumber(text);
  return port !== null && port > 0 && port < 65_536 ? port : null;
}

function wholeNumber(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}

interface Values {
  (name: string): readonly string[];
  /** In the order in which they were said. */
  readonly names: readonly string[];
}

/** Finds values by lower-case name, which is how ssh reads them. Commands of `Match exec` are not run: such a block does not apply. */
function valuesFor(text: string, alias: string): Values {
  // The library sets a User of its own where the file has none; only what the file says counts here.
  const computed = sshConfig.parse(text).compute({ Host: alias }, { ignoreCase: true, matchExec: false });
  const byName = new Map(
    Object.entries(computed).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value : [value]]),
  );
  return Object.assign((name: string) => byName.get(name) ?? [], { names: [...byName.keys()] });
}

function withIncludes(text: string, directory: string, depth: number): string {
  if (depth > deepestInclude) return '';
  return text.replaceAll(/^[ \t]*Include[ \t=]+(.+)$/gim, (_line, patterns: string) =>
    patterns
      .trim()
      .split(/\s+/)
      .flatMap((pattern) => globSync(resolve(directory, pattern.replaceAll('"', '').replace(/^~(?=\/)/, homedir()))))
      .map((file) => withIncludes(readFileSync(file, 'utf8'), directory, depth + 1))
      .join('\n'),
  );
}
