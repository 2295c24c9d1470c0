/** Which scripts the operator has accepted, each pinned to its content. */
import { join } from 'node:path';
import { readOwnFile } from '../../config/home.ts';
import { replaceOwnFile } from '../../lib/replace-file.ts';
import { CaissonError } from '../../errors.ts';
import type { Script } from './script.ts';

const fileName = 'hooks-accepted.json';
const maxBytes = 1024 * 1024;

/** SHA-256 by path. */
export type Accepted = Readonly<Record<string, string>>;

export type Consent = 'accepted' | 'new' | 'changed';

/** To all files of a hook together. */
export function consentTo(scripts: readonly Script[], accepted: Accepted): Consent {
  const each = scripts.map((script) => consentToOne(script, accepted));
  return each.find((consent) => consent === 'changed') ?? each.find((consent) => consent === 'new') ?? 'accepted';
}

function consentToOne({ path, sha256 }: Script, accepted: Accepted): Consent {
  const pinned = Object.hasOwn(accepted, path) ? accepted[path] : undefined;
  if (pinned === undefined) return 'new';
  return pinned === sha256 ? 'accepted' : 'changed';
}

/** Throws `failed_precondition` when others may read or write the file, `invalid_argument` when it is damaged. */
export async function readAccepted(home: string): Promise<Accepted> {
  const text = await readOwnFile(join(home, fileName), { forbidden: 0o077, limitBytes: maxBytes });
  if (text === null) return {};
  const value: unknown = parsed(text, home);
  return isAccepted(value) ? value : damaged(home);
}

export async function accept(home: string, scripts: readonly Pick<Script, 'path' | 'sha256'>[]): Promise<void> {
  const added = Object.fromEntries(scripts.flatMap(({ path, sha256 }) => (sha256 === null ? [] : [[path, sha256]])));
  const next = `${JSON.stringify({ ...(await readAccepted(home)), ...added }, null, 2)}\n`;
  await replaceOwnFile(join(home, fileName), next);
}

function parsed(text: string, home: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return damaged(home);
  }
}

function isAccepted(value: unknown): value is Accepted {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}

function damaged(home: string): never {
  throw new CaissonError('invalid_argument', `${join(home, fileName)} is damaged`, {
    remedy: 'remove it and accept the hooks again: caisson hooks accept',
  });
}
