/** Sets one key in the operator's file. Comments, order and blank lines stay; nothing is written that would not load. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { CaissonError } from '../errors.ts';
import { replaceOwnFile } from '../lib/replace-file.ts';
import type { BackendKeys } from './backends.ts';
import { checkFile } from './check.ts';
import { readOwnFile } from './home.ts';
import { limitBytes } from './limits.ts';
import { schemaOf } from './schema.ts';

export interface Setting {
  /** Dotted: `terminal.timeout`, `tasks.ci-1.container_memory`. */
  readonly key: string;
  /** As the file has it: `5m`, `null`, `[a, b]`. */
  readonly text: string;
  /** Called when it has been checked, before it is written. */
  readonly before?: () => Promise<void>;
}

/** Throws `invalid_argument` for a key or value that the check refuses; the file is as it was then. */
export async function setInFile(
  home: string,
  { key, text, ...setting }: Setting,
  backends: BackendKeys,
): Promise<void> {
  const file = join(home, 'config.yaml');
  const before = (await readOwnFile(file, { forbidden: 0o022, limitBytes })) ?? '';
  const schema = await schemaOf(backends);
  checkFile(schema, before, file);
  const after = withKey(before, { key, text });
  checkFile(schema, after, file);
  await setting.before?.();
  if (after !== before) await replaceOwnFile(file, after);
}

/** Throws `already_exists`, also for a file that cannot be read. */
export async function createFile(home: string, text: string, backends: BackendKeys): Promise<void> {
  const file = join(home, 'config.yaml');
  if (existsSync(file))
    throw new CaissonError('already_exists', `${file} is there already`, {
      remedy: 'change single keys with `caisson config set`, or move the file away',
    });
  checkFile(await schemaOf(backends), text, file);
  await replaceOwnFile(file, text);
}

function withKey(before: string, { key, text }: Setting): string {
  const how = { version: '1.2', schema: 'core', logLevel: 'error' } as const;
  const value = parseDocument(text, how);
  if (value.errors.length > 0)
    throw new CaissonError('invalid_argument', `the value of ${key} is not YAML`, {
      remedy: 'quote it as in the file',
    });
  const document = parseDocument(before, how);
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
