/** Which host, as whom, with which keys: the keys of the configuration over what ~/.ssh/config says about the host. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { ownAccount } from '../../src/lib/own-account.ts';
import { textField } from './fault.ts';
import { checkedName, proxyLine } from './names.ts';
import { type Hop, type HostEntry, hostEntry } from './ssh-config.ts';

export interface Target {
  /** For people, results and refs: `user@host:port`, with the host as it was configured. */
  readonly label: string;
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** The name under which the host's key is known (known_hosts of sshd(8)). */
  readonly knownAs: string;
  readonly knownHostsFiles: readonly string[];
  /** Read in this order; the agent comes first unless a file was named. */
  readonly keyFiles: readonly string[];
  /** Whether someone named these files, so that an absent one is an error. */
  readonly keysNamed: boolean;
  readonly agent: string | null;
  readonly passphrase: string | null;
  readonly route: Route;
  /** How often the host must show that it is there, and how often it may miss that before the connection is lost. */
  readonly alive: { readonly intervalMs: number; readonly count: number };
}

/** How the host is reached. `command`: a line for the shell of this machine, as the user wrote it for ssh. */
export type Route =
  | { readonly kind: 'direct' }
  | { readonly kind: 'jump'; readonly over: Target }
  | { readonly kind: 'command'; readonly line: string; readonly env: OpenOptions['env'] };

const defaultKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'];
export const passphraseName = 'CAISSON_SSH_KEY_PASSPHRASE';
export const systemKnownHosts = '/etc/ssh/ssh_known_hosts';
const maxHops = 8;
const aliveIntervalMs = 15_000;
const aliveCount = 3;

export function noHostError(): CaissonError {
  return new CaissonError('failed_precondition', 'no host is configured for the ssh backend', {
    remedy: 'set terminal.ssh_host to the name of a host, or of a Host entry in ~/.ssh/config',
  });
}

export async function findTarget({ env, settings = {} }: OpenOptions): Promise<Target> {
  const alias = textField(settings, 'host');
  if (alias === null) throw noHostError();
  const home = env['HOME'] || homedir();
  const book: Book = { env, home, config: await readOrNothing(join(home, '.ssh/config')) };
  const wish = { alias, user: textField(settings, 'user'), port: numberField(settings, 'port') };
  return targetOf(book, { ...wish, key: textField(settings, 'key'), over: null, hops: 0 });
}

interface Book {
  readonly env: OpenOptions['env'];
  readonly home: string;
  /** The text of ~/.ssh/config. */
  readonly config: string;
}

interface Wish extends Hop {
  readonly key: string | null;
  /** Hosts on the way, which then count instead of those of the host's own entry. */
  readonly over: readonly Hop[] | null;
  /** How many hosts lie behind this one, as far as that has been followed. */
  readonly hops: number;
}

function targetOf(book: Book, wish: Wish): Target {
  const { env, home } = book;
  const inHome = (path: string): string => path.replace(/^~(?=\/|$)/, home).replaceAll('%d', home);
  const entry = hostEntry(book.config, wish.alias, join(home, '.ssh'));
  const host = checkedName(entry.host ?? wish.alias, 'host');
  const port = wish.port ?? entry.port ?? 22;
  const user = checkedName(wish.user ?? entry.user ?? ownAccount().name, 'user');
  const files = wish.key === null ? entry.keyFiles : [wish.key];
  return {
    label: `${user}@${checkedName(wish.alias, 'host')}:${port}`,
    host,
    port,
    user,
    knownAs: knownName(entry, host, port),
    knownHostsFiles: [
      ...(entry.knownHostsFiles ?? ['~/.ssh/known_hosts', '~/.ssh/known_hosts2']).map(inHome),
      systemKnownHosts,
    ],
    keyFiles: files.length > 0 ? files.map(inHome) : defaultKeys.map((name) => join(home, '.ssh', name)),
    keysNamed: files.length > 0,
    agent: env['SSH_AUTH_SOCK'] || null,
    passphrase: env[passphraseName] || null,
    route: routeOf(book, wish, { entry, host, port, user }),
    alive: {
      // 0 stands for never in ssh_config; a connection without a watch would hold its commands for ever.
      intervalMs: entry.aliveIntervalMs || aliveIntervalMs,
      count: entry.aliveCount ?? aliveCount,
    },
  };
}

interface HostMatch {
  readonly entry: HostEntry;
  readonly host: string;
  readonly port: number;
  readonly user: string;
}

/** The last hop is reached over those before it; the first one as its own entry says. */
function routeOf(book: Book, wish: Wish, found: HostMatch): Route {
  const { detour } = found.entry;
  const over = wish.over ?? (detour.kind === 'jump' ? detour.hops : []);
  const last = over.at(-1);
  if (last !== undefined) {
    if (wish.hops >= maxHops) throw tooManyHopsError(wish.alias);
    const before = over.slice(0, -1);
    const hop = { ...last, key: null, over: before.length > 0 ? before : null, hops: wish.hops + 1 };
    return { kind: 'jump', over: targetOf(book, hop) };
  }
  if (detour.kind !== 'command') return { kind: 'direct' };
  return { kind: 'command', line: proxyLine(detour.text, { ...found, alias: wish.alias }), env: book.env };
}

function tooManyHopsError(alias: string): CaissonError {
  return new CaissonError('failed_precondition', `${alias} lies behind more than ${maxHops} hosts in ~/.ssh/config`, {
    remedy: 'look whether one of them names itself in its ProxyJump',
  });
}

function knownName(entry: HostEntry, host: string, port: number): string {
  if (entry.hostKeyAlias !== null) return entry.hostKeyAlias;
  return port === 22 ? host : `[${host}]:${port}`;
}

function numberField(settings: Readonly<Record<string, unknown>>, name: string): number | null {
  const value = settings[name];
  return typeof value === 'number' ? value : null;
}

export async function readOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(textField(error, 'code') ?? '')) return '';
    throw new CaissonError('failed_precondition', `${path} cannot be read`, {
      cause: error,
      remedy: 'look at its owner and mode',
    });
  }
}
