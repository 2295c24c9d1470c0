/** Verbs of the library, each with a use of it from `examples/library/verbs.ts`, whose types are checked with all code. */
import { readFileSync } from 'node:fs';
import { table } from '../../src/http/table.ts';
import { code } from './page.ts';

const block = /^\/\/ ([\w.]+)\n\{\n([^]*?)^\}$/gm;

export function libraryReference(
  source = readFileSync(new URL('../../examples/library/verbs.ts', import.meta.url), 'utf8'),
): string {
  const uses = new Map([...source.matchAll(block)].map(([, verb = '', body = '']) => [verb, body]));
  const absent = Object.keys(table).filter((verb) => !uses.get(verb)?.includes(`caisson.${verb}(`));
  const unknown = [...uses.keys()].filter((verb) => !(verb in table));
  if (absent.length > 0) throw new Error(`verbs without a use in examples/library/verbs.ts: ${absent.join(', ')}`);
  if (unknown.length > 0) throw new Error(`examples/library/verbs.ts has uses of no verb: ${unknown.join(', ')}`);
  return nounsOf([...uses]).join('\n\n');
}

function nounsOf(uses: readonly (readonly [string, string])[]): readonly string[] {
  const byNoun = Map.groupBy(uses, ([verb]) => (verb.includes('.') ? verb.slice(0, verb.lastIndexOf('.')) : 'caisson'));
  return [...byNoun].flatMap(([noun, verbs]) => [`## ${noun}`, ...verbs.map(([verb, body]) => sectionOf(verb, body))]);
}

const sectionOf = (verb: string, body: string): string =>
  `${code(verb)}\n\n\`\`\`ts\n${body.replaceAll(/^ {2}/gm, '').trimEnd()}\n\`\`\``;
