/** The shell grammar: loaded once, on first use. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { dependencyPath } from '../../lib/asset.ts';
import { remembered } from '../../lib/remembered.ts';
import { shortageError } from '../../lib/shortage.ts';
import { parseMs, shortParseMs, shortUnits } from '../limits.ts';
import { flatten, type FlatTree } from './flatten.ts';

/** `null`: no tree within the time that a parse may take. */
export type Parse = (text: string) => FlatTree | null;

const files = { runtime: 'web-tree-sitter/web-tree-sitter.wasm', bash: 'tree-sitter-bash/tree-sitter-bash.wasm' };

/**
 * `null`: the grammar cannot be loaded here; every command is asked for then. Throws `failed_precondition` where a file of the
 * installation is missing, and `unavailable` where the system is short of something: a question at every command would only
 * hide that.
 */
export async function loadGrammar(): Promise<Parse | null> {
  isLost = true;
  try {
    for (const name of Object.values(files)) checkFile(name);
    const parse = await loaded();
    isLost = parse === null;
    return parse;
  } catch (error) {
    throw shortageError(error, 'the shell grammar cannot be read') ?? error;
  }
}

/** Whether commands cannot be read for want of the grammar. It is tried again where it could not be loaded at last. */
export async function isGrammarLost(): Promise<boolean> {
  if (isLost) await loadGrammar();
  return isLost;
}

let isLost = false;

const loaded = remembered(async (): Promise<Parse | null> => {
  try {
    return await load();
  } catch (error) {
    if (shortageError(error, '') !== null) throw error;
    // Why it failed changes nothing for the verdict, which names the grammar as what is missing.
    return null;
  }
});

function checkFile(name: string): void {
  const path = dependencyPath(name);
  if (existsSync(path)) return;
  throw new CaissonError(
    'failed_precondition',
    `this installation of Caisson is not complete: ${basename(name)} is missing`,
    {
      remedy: 'install Caisson again',
      details: { path },
    },
  );
}

async function load(): Promise<Parse> {
  const { Parser, Language } = await import('web-tree-sitter');
  await Parser.init({ wasmBinary: await readFile(dependencyPath(files.runtime)) });
  const language = await Language.load(await readFile(dependencyPath(files.bash)));
  const parser = new Parser();
  parser.setLanguage(language);
  const names = Array.from({ length: language.nodeTypeCount }, (_, id) =>
    language.nodeTypeIsNamed(id) ? (language.nodeTypeForId(id) ?? '') : '',
  );
  return (text) => {
    const startedMs = performance.now();
    const maxMs = text.length <= shortUnits ? shortParseMs : parseMs;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() - startedMs > maxMs });
    if (tree === null) {
      parser.reset();
      return null;
    }
    try {
      return flatten(tree, names);
    } finally {
      tree.delete();
    }
  };
}
