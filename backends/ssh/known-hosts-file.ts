/** Adds one line to the user's file of known hosts, which is old or new at any moment, and never holds less than before. */
import { chmod, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import { textField } from './fault.ts';
import { mayBeTrusted } from './host-keys.ts';
import { entriesFor, judgeKey, keyType } from './known-hosts.ts';
import { readOrNothing, systemKnownHosts, type Target } from './target.ts';

const maxTries = 5;

/** Throws `conflict` when the file says by now that this key is not to be trusted, or when others keep writing it. */
export async function rememberKey(target: Target, key: Buffer): Promise<void> {
  const named = target.knownHostsFiles[0];
  if (named === undefined || named === systemKnownHosts) throw knownHostsMissingError();
  await mkdir(dirname(named), { recursive: true, mode: 0o700 });
  // A link, as people keep who share their dotfiles, stays one.
  const file = await whereItIs(named);
  for (let tries = 0; tries < maxTries; tries += 1) if (await added(file, target, key)) return;
  throw new CaissonError('conflict', `${file} is written by others all the time`, { remedy: 'try again' });
}

/** False when somebody wrote the file meanwhile. */
async function added(file: string, { knownAs, label }: Target, key: Buffer): Promise<boolean> {
  const before = await versionOf(file);
  const text = await readOrNothing(file);
  const standing = judgeKey(entriesFor(text, knownAs, file), key);
  if (standing.verdict === 'known') return true;
  if (!mayBeTrusted(standing))
    throw new CaissonError('conflict', `${file} says meanwhile that this key of ${label} is not to be trusted`, {
      remedy: `look at ${standing.places.join(', ')}`,
    });
  const line = `${knownAs} ${keyType(key)} ${key.toString('base64')}\n`;
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    await write(draft, text === '' || text.endsWith('\n') ? text + line : `${text}\n${line}`);
    if (before.mode !== null) await chmod(draft, before.mode);
    if ((await versionOf(file)).is !== before.is) return false;
    await rename(draft, file);
    return true;
  } finally {
    await rm(draft, { force: true });
  }
}

async function write(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(text);
  await file.sync();
}

async function versionOf(file: string): Promise<{ readonly is: string; readonly mode: number | null }> {
  try {
    const { ino, size, mtimeNs, mode } = await stat(file, { bigint: true });
    return { is: `${ino} ${size} ${mtimeNs}`, mode: Number(mode) & 0o777 };
  } catch (error) {
    if (textField(error, 'code') === 'ENOENT') return { is: 'absent', mode: null };
    throw error;
  }
}

async function whereItIs(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (textField(error, 'code') === 'ENOENT') return path;
    throw error;
  }
}

function knownHostsMissingError(): CaissonError {
  return new CaissonError('failed_precondition', 'there is no file of known hosts that is yours to write', {
    remedy: 'take `UserKnownHostsFile none` out of ~/.ssh/config, or add the key to the file that is meant',
  });
}
