/** Context files that somebody has accepted, by the hash of their bytes: another version is another file. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceOwnFile } from '../../lib/replace-file.ts';
import { CaissonError } from '../../errors.ts';

const hash = /^[0-9a-f]{64}$/;
const nameOf = (home: string): string => join(home, 'approved-context');

export async function approvedHashes(home: string): Promise<ReadonlySet<string>> {
  try {
    const lines = (await readFile(nameOf(home), 'utf8')).split('\n');
    return new Set(lines.map((line) => line.slice(0, 64)).filter((line) => hash.test(line)));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Set();
    throw new CaissonError('failed_precondition', 'the list of approved context files cannot be read', {
      cause: error,
      remedy: `look at ${nameOf(home)}`,
    });
  }
}

/** Idempotent. A line has the hash, and for people what it was. */
export async function approve(home: string, sha256: string, about: string): Promise<void> {
  const known = await approvedHashes(home);
  if (known.has(sha256)) return;
  const before = known.size === 0 ? '' : await readFile(nameOf(home), 'utf8');
  await replaceOwnFile(nameOf(home), `${before}${sha256} ${about.replaceAll(/[^ -~]/g, '?').slice(0, 200)}\n`);
}
