/** The shell grammar: loaded once, on first use. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { CaissonError } from '../../errors.ts';
import { dependencyPath } from '../../lib/asset.ts';
import { parseMs, shortParseMs, shortUnits } from '../limits.ts';
import { flatten, type FlatTree } from './flatten.ts';

/** `null`: no tree within the time that a parse may take. */
export type Parse = (text: string) => FlatTree | null;

let loaded: Promise<Parse | null> | null = null;

const files = { runtime: 'web-tree-sitter/web-tree-sitter.wasm', bash: 'tree-sitter-bash/tree-sitter-bash.wasm' };

/**
 * `null`: the grammar cannot be loaded here; every command is asked for then. Throws `failed_precondition` where a file of the
 * installation is missing: a question at every command would only hide that.
 */
export async function loadGrammar(): Promise<Parse | null> {
  const there = { runtime: wholeFile(files.runtime), bash: wholeFile(files.bash) };
  // Why it failed changes nothing for the verdict, which names the grammar as what is missing.
  loaded ??= load(there).catch(() => null);
  return await loaded;
}

function wholeFile(name: string): string {
  const path = dependencyPath(name);
  if (existsSync(path)) return path;
  throw new CaissonError(
    'failed_precondition',
    `this installation of Caisson is not complete: ${basename(name)} is missing`,
    {
      remedy: 'install Caisson again',
      details: { path },
    },
  );
}

async function load({ runtime, bash }: typeof files): Promise<Parse> {
  const { Parser, Language } = await import('web-tree-sitter');
  await Parser.init({ locateFile: () => runtime });
  const language = await Language.load(bash);
  const parser = new Parser();
  parser.setLanguage(language);
  const names = Array.from({ length: language.nodeTypeCount }, (_, id) =>
    language.nodeTypeIsNamed(id) ? (language.nodeTypeForId(id) ?? '') : '',
  );
  return (text) => {
    const startedMs = performance.now();
    const mostMs = text.length <= shortUnits ? shortParseMs : parseMs;
    const tree = parser.parse(text, null, { progressCallback: () => performance.now() - startedMs > mostMs });
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
