/** Changes the operator's file. Comments, order and blank lines stay; nothing is written that would not load. */
import { existsSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { CaissonError } from '../errors.ts';
import { replaceOwnFile } from '../lib/replace-file.ts';
import { configFile, readConfigText } from './text.ts';

export interface Setting {
  /** Dotted: `terminal.timeout`, `tasks.ci-1.container_memory`. */
  readonly key: string;
  /** Value in the words of the file: `5m`, `null`, `[a, b]`. */
  readonly text: string;
}

export interface Writing {
  /** Throws for a text that would not load. */
  readonly check: (text: string) => Promise<unknown>;
  /** Called when it has been checked, before it is written. */
  readonly before?: () => Promise<void>;
}

/** Throws `invalid_argument` for a key or value that the check refuses; the file is as it was then. It need not load before. */
export async function setInFile(home: string, setting: Setting, { check, before }: Writing): Promise<void> {
  const was = (await readConfigText(home)) ?? '';
  const now = withKey(was, setting, configFile(home));
  await check(now);
  await before?.();
  if (now !== was) await replaceOwnFile(configFile(home), now);
}

export interface Replacement {
  /** The text that was read; `null`: there was no file. */
  readonly was: string | null;
  readonly now: string;
}

/** Throws `conflict` when the file was changed since. */
export async function replaceFile(home: string, { was, now }: Replacement, { check, before }: Writing): Promise<void> {
  await check(now);
  if ((await readConfigText(home)) !== was)
    throw new CaissonError('conflict', `${configFile(home)} was changed meanwhile`, { remedy: 'edit it again' });
  await before?.();
  await replaceOwnFile(configFile(home), now);
}

/** Throws `already_exists`, also for a file that cannot be read. */
export async function createFile(home: string, text: string, { check }: Writing): Promise<void> {
  const file = configFile(home);
  if (existsSync(file))
    throw new CaissonError('already_exists', `${file} is there already`, {
      remedy: 'change single keys with `caisson config set`, or move the file away',
    });
  await check(text);
  await replaceOwnFile(file, text);
}

function withKey(was: string, { key, text }: Setting, file: string): string {
  const how = { version: '1.2', schema: 'core', logLevel: 'error' } as const;
  const value = parseDocument(text, how);
  if (value.errors.length > 0)
    throw new CaissonError('invalid_argument', `the value of ${key} is not YAML`, {
      remedy: 'quote it as in the file',
    });
  const document = parseDocument(was, how);
  if (document.errors.length > 0)
    throw new CaissonError('failed_precondition', `${file} is not YAML, so that no key can be set in it`, {
      remedy: 'caisson config check says where; caisson config edit opens it',
    });
  document.setIn(pathOf(key), value.toJS());
  return document.toString({ lineWidth: 0 });
}

/** Ids of tasks hold no dots, and neither do keys. */
function pathOf(key: string): readonly string[] {
  const path = key.split('.');
  if (path.every((part) => /^[\w*?-]+$/.test(part))) return path;
  throw new CaissonError('invalid_argument', `${JSON.stringify(key)} is not a key of the configuration`, {
    remedy: '`caisson config show` lists all keys',
  });
}
