/** The shell grammar: loaded once, on first use. */
import { createRequire } from 'node:module';
import { parseMs, shortParseMs, shortUnits } from '../limits.ts';
import { flatten, type FlatTree } from './flatten.ts';

/** `null`: no tree within the time that a parse may take. */
export type Parse = (text: string) => FlatTree | null;

let loaded: Promise<Parse | null> | null = null;

/** `null`: the grammar cannot be loaded; every command is asked for then. */
export function loadGrammar(): Promise<Parse | null> {
  // Why it failed changes nothing for the verdict, which names the grammar as what is missing.
  loaded ??= load().catch(() => null);
  return loaded;
}

async function load(): Promise<Parse> {
  const { Parser, Language } = await import('web-tree-sitter');
  await Parser.init();
  const language = await Language.load(
    createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm'),
  );
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
