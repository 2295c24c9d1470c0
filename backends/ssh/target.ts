/** Which host, as whom, with which keys: the keys of the configuration over what ~/.ssh/config says about the host. */
import { readFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { textField } from './fault.ts';
import { type HostEntry, hostEntry } from './ssh-config.ts';

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
}

const defaultKeys = ['id_ed25519', 'id_ecdsa', 'id_rsa'];
export const passphraseName = 'CAISSON_SSH_KEY_PASSPHRASE';

export function noHost(): CaissonError {
  return new CaissonError('failed_precondition', 'no host is configured for the ssh backend', {
    remedy: 'set terminal.ssh_host to the name of a host, or of a Host entry in ~/.ssh/config',
  });
}

export async function findTarget({ env, settings = {} }: OpenOptions): Promise<Target> {
  const alias = textField(settings, 'host');
  if (alias === null) throw noHost();
  const home = env['HOME'] || homedir();
  const inHome = (path: string): string => path.replace(/^~(?=\/|$)/, home).replaceAll('%d', home);
  const entry = hostEntry(await readOrNothing(join(home, '.ssh/config')), alias, join(home, '.ssh'));
  const host = entry.host ?? alias;
  const port = portOf(settings['port']) ?? entry.port ?? 22;
  const user = textField(settings, 'user') ?? entry.user ?? userInfo().username;
  const named = textField(settings, 'key');
  const files = named === null ? entry.keyFiles : [named];
  return {
    label: `${user}@${alias}:${port}`,
    host,
    port,
    user,
    knownAs: knownName(entry, host, port),
    knownHostsFiles: [
      ...(entry.knownHostsFiles ?? ['~/.ssh/known_hosts', '~/.ssh/known_hosts2']).map(inHome),
      '/etc/ssh/ssh_known_hosts',
    ],
    keyFiles: files.length > 0 ? files.map(inHome) : defaultKeys.map((name) => join(home, '.ssh', name)),
    keysNamed: files.length > 0,
    agent: env['SSH_AUTH_SOCK'] || null,
    passphrase: env[passphraseName] || null,
  };
}

function knownName(entry: HostEntry, host: string, port: number): string {
  if (entry.hostKeyAlias !== null) return entry.hostKeyAlias;
  return port === 22 ? host : `[${host}]:${port}`;
}

function portOf(value: unknown): number | null {
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
