/** How we show who we are: keys from files and from the agent, never a password. */
import { readFile, stat } from 'node:fs/promises';
import type { AgentAuthMethod, ParsedKey, PublicKeyAuthMethod } from 'ssh2';
import { CaissonError } from '../../src/errors.ts';
import { textField } from './fault.ts';
import { passphraseName, type Target } from './target.ts';

export type Method = AgentAuthMethod | PublicKeyAuthMethod;

/** Keys as they were read once: opening an encrypted one takes a second. */
export class Keyring {
  readonly #methods = new Map<Target, Promise<Method[]>>();

  methodsFor(target: Target): Promise<Method[]> {
    const known = this.#methods.get(target) ?? loginMethods(target);
    this.#methods.set(target, known);
    return known;
  }

  forget(): void {
    this.#methods.clear();
  }
}

/** Files that were named come before the agent, the usual ones after it. */
async function loginMethods(target: Target): Promise<Method[]> {
  const username = target.user;
  const agent: Method[] = target.agent === null ? [] : [{ type: 'agent', username, agent: target.agent }];
  const read = await Promise.all(target.keyFiles.map((file) => readKey(target, file)));
  const keys = read.flatMap((key): Method[] => (key === null ? [] : [{ type: 'publickey', username, key }]));
  const methods = target.keysNamed ? [...keys, ...agent] : [...agent, ...keys];
  if (methods.length > 0) return methods;
  throw new CaissonError('unauthenticated', `there is no key to log in to ${target.label} with`, {
    remedy: 'set terminal.ssh_key to a private key, or start ssh-agent and `ssh-add` one',
  });
}

/** `null`: not there, and not configured; or locked, and the agent may hold it. */
async function readKey(target: Target, file: string): Promise<ParsedKey | null> {
  const bytes = await readPrivate(target, file);
  if (bytes === null) return null;
  const { default: ssh2 } = await import('ssh2');
  const plain = ssh2.utils.parseKey(bytes);
  if (!(plain instanceof Error)) return plain;
  const unlocked = target.passphrase === null ? plain : ssh2.utils.parseKey(bytes, target.passphrase);
  if (!(unlocked instanceof Error)) return unlocked;
  if (!target.keysNamed || target.agent !== null) return null;
  throw new CaissonError('unauthenticated', `the key ${file} cannot be opened`, {
    details: { file },
    remedy: `\`ssh-add ${file}\`, or put its passphrase into ${passphraseName} (in <home>/.env); if it is no private key, name another one`,
  });
}

/** A key that others can read is not a secret any more, and ssh(1) does not take it either. */
async function readPrivate(target: Target, file: string): Promise<Buffer | null> {
  try {
    const { mode, uid } = await stat(file);
    if ((mode & 0o077) === 0 || uid !== process.getuid?.()) return await readFile(file);
  } catch (error) {
    if (!target.keysNamed && ['ENOENT', 'EACCES'].includes(textField(error, 'code') ?? '')) return null;
    throw new CaissonError('unauthenticated', `the key ${file} cannot be read`, {
      cause: error,
      details: { file },
      remedy: 'set terminal.ssh_key to a private key of this account',
    });
  }
  throw new CaissonError('unauthenticated', `the key ${file} can be read by others`, {
    details: { file },
    remedy: `chmod 600 ${file}`,
  });
}
