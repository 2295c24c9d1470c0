/** Finds the names of backends in code: core knows none, since their keys, defaults and places are their own. */
import { parseSync } from 'oxc-parser';
import type { Sources } from './imports.ts';

/** Commands that are judged, help, and the services that are emulated name programs and places that have the names of backends. */
const exempt = /^src\/(?:policy|shell|cli)\//;

export function backendNamesIn(sources: Sources, backends: readonly string[]): readonly string[] {
  const named = new RegExp(`^(?:${backends.join('|')})(?:_[a-z_]+)?$`);
  return [...sources].flatMap(([path, text]) =>
    path.startsWith('src/') && !exempt.test(path)
      ? wordsOf(path, text)
          .filter((word) => named.test(word))
          .map((word) => `${path}: ${word}`)
      : [],
  );
}

/** Texts and names of keys; comments are not code. */
function wordsOf(path: string, text: string): readonly string[] {
  const words: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const type: unknown = Reflect.get(node, 'type');
    const word: unknown = Reflect.get(node, type === 'Identifier' ? 'name' : 'value');
    // A variable may be called `local`.
    const isWord = type === 'Literal' || (type === 'Identifier' && typeof word === 'string' && word.includes('_'));
    if (isWord && typeof word === 'string') words.push(word);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(path, text).program);
  return words;
}
