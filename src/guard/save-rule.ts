/** Adds what a person allowed for good to a list in the operator's file, as it is on disk now: nothing else in it changes. */
import { join } from 'node:path';
import { readOwnFile } from '../config/home.ts';
import { replaceOwnFile } from '../lib/replace-file.ts';
import { CaissonError } from '../errors.ts';

const limitBytes = 256 * 1024;

/** The keys that lead to a list. */
export type ListPath = readonly ['command_allowlist'] | readonly ['network', 'allow'];

/** Throws `failed_precondition` when the file cannot be changed without loss; it is left as it is then. */
export async function saveAllowed(home: string, path: ListPath, entries: readonly string[]): Promise<void> {
  const file = join(home, 'config.yaml');
  const text = (await readOwnFile(file, { forbidden: 0o022, limitBytes })) ?? '';
  const changed = await withAllowed(text, { path, entries, file });
  if (changed !== text) await replaceOwnFile(file, changed);
}

interface Addition {
  readonly path: ListPath;
  readonly entries: readonly string[];
  readonly file: string;
}

/** Comments, order and blank lines stay. */
async function withAllowed(text: string, { path, entries, file }: Addition): Promise<string> {
  const { isMap, isSeq, parseDocument, YAMLSeq } = await import('yaml');
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error' });
  if (document.errors.length > 0) throw ruleFileError(file, 'it does not parse any more');
  const key = path.join('.');
  if (path.length > 1 && document.get(path[0]) === null) document.set(path[0], document.createNode({}));
  const above: unknown = path.length === 1 ? document.contents : document.get(path[0], true);
  if (above !== undefined && above !== null && !isMap(above))
    throw ruleFileError(file, `${key} cannot be added: the key above it is not a map`);
  const found: unknown = document.getIn(path, true);
  const list = isSeq(found) ? found : new YAMLSeq();
  if (found !== undefined && found !== null && !isSeq(found) && document.getIn(path) !== null)
    throw ruleFileError(file, `${key} must be a list`);
  const known = new Set<unknown>(list.toJSON());
  for (const entry of entries) if (!known.has(entry)) list.add(document.createNode(entry));
  if (list !== found) document.setIn(path, list);
  return document.toString({ lineWidth: 0 });
}

function ruleFileError(file: string, why: string): CaissonError {
  return new CaissonError('failed_precondition', `the rule cannot be added to ${file}: ${why}`, {
    remedy: 'put the file right (caisson config check), or approve once',
  });
}
