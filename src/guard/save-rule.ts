/** Adds rules to `command_allowlist` in the operator's file, as it is on disk now: nothing else in it changes. */
import { join } from 'node:path';
import { readOwnFile } from '../config/home.ts';
import { replaceOwnFile } from '../lib/replace-file.ts';
import { CaissonError } from '../errors.ts';

const limitBytes = 256 * 1024;

/** Throws `failed_precondition` when the file cannot be changed without loss; it is left as it is then. */
export async function saveAllowed(home: string, rules: readonly string[]): Promise<void> {
  const file = join(home, 'config.yaml');
  const text = (await readOwnFile(file, { forbidden: 0o022, limitBytes })) ?? '';
  const changed = await withAllowed(text, rules, file);
  if (changed !== text) await replaceOwnFile(file, changed);
}

/** Comments, order and blank lines stay. */
async function withAllowed(text: string, rules: readonly string[], file: string): Promise<string> {
  const { isSeq, parseDocument, YAMLSeq } = await import('yaml');
  const document = parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error' });
  if (document.errors.length > 0) throw unchangeable(file, 'it does not parse any more');
  const found: unknown = document.get('command_allowlist', true);
  const list = isSeq(found) ? found : new YAMLSeq();
  if (found !== undefined && found !== null && !isSeq(found) && document.get('command_allowlist') !== null)
    throw unchangeable(file, 'its command_allowlist is no list');
  const known = new Set<unknown>(list.toJSON());
  for (const rule of rules) if (!known.has(rule)) list.add(document.createNode(rule));
  if (list !== found) document.set('command_allowlist', list);
  return document.toString({ lineWidth: 0 });
}

function unchangeable(file: string, why: string): CaissonError {
  return new CaissonError('failed_precondition', `the rule cannot be added to ${file}: ${why}`, {
    remedy: 'put the file right (caisson config check), or approve once',
  });
}
