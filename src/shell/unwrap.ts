/** What a command runs in turn: commands named by its words, and texts for a shell. */
import { callsIn } from './calls.ts';
import { unwrapFind, unwrapXargs } from './xargs.ts';
import { unwrapInside } from './inside.ts';
import { endsOfOptions } from './options.ts';
import { programOf } from './names.ts';
import { joined, type Text, type Unwrapped } from './unwrapped.ts';
import { unwrapRunner } from './runners.ts';
import { inlineFlag, isInterpreter, isShell, shellCall } from './shells.ts';
import { splitString } from './split-string.ts';
import { unwrapText } from './texts.ts';
import type { Word } from './types.ts';
import { type Inner, innersOf, isLoader, wrappers } from './wrappers.ts';

/** `null`: it runs nothing else that can be seen. `words` starts with the program. */
export function unwrap(program: string, words: readonly Word[]): Unwrapped | null {
  if (program === 'env') return unwrapEnv(words);
  if (program === 'xargs' || program === 'parallel') return unwrapXargs(words, program);
  if (program === 'find' || program === 'gfind' || program === 'bfs' || program === 'fd' || program === 'fdfind')
    return unwrapFind(words);
  if (isShell(program)) return unwrapShell(program, words);
  if (isInterpreter(program)) return unwrapCode(program, words) ?? unwrapRunner(program, words);
  const own = unwrapText(program, words) ?? unwrapInside(program, words);
  if (own !== null) return own;
  const run = unwrapRunner(program, words);
  if (run !== null) return run;
  if (program === 'exec' && words.length === 1) return null;
  const form = isLoader(program) ? {} : wrappers.get(program);
  return form === undefined ? null : runsInner(innersOf(words, form));
}

const maxLayers = 16;

/** Names of the programs that stand at the end of its wrappers. */
export function runBy(words: readonly Word[]): readonly string[] {
  let layer: readonly (readonly Word[])[] = unwrap(programOf(words[0]) ?? '', words)?.commands ?? [];
  const names = new Set<string | null>();
  for (let deep = 0; deep < maxLayers && layer.length > 0; deep += 1) {
    for (const [first] of layer) names.add(programOf(first));
    layer = layer.flatMap((inner) =>
      isTransparent(programOf(inner[0])) ? (unwrap(programOf(inner[0]) ?? '', inner)?.commands ?? []) : [],
    );
  }
  return [...names].filter((name) => name !== null);
}

const isTransparent = (program: string | null): boolean => program !== null && wrappers.has(program);

function unwrapShell(program: string, words: readonly Word[]): Unwrapped | null {
  const call = shellCall(words.slice(1));
  const first = program === 'fish' ? words.filter((_, at) => words[at - 1]?.text === '-C') : [];
  const texts = first.map((word): Text => ({ text: word.text, word }));
  if (call.kind === 'text') texts.push({ text: call.text.text, positional: call.positional, word: call.text });
  return texts.length === 0 ? null : { commands: [], texts };
}

/** What inline code of an interpreter runs. PowerShell's is near enough to shell text. */
function unwrapCode(program: string, words: readonly Word[]): Unwrapped | null {
  const isPowerShell = /^(?:powershell|pwsh)$/.test(program);
  const [, first] = words;
  // Its first operand is a command, unless it is a script.
  if (isPowerShell && first !== undefined && !/^[-/]|\.ps1$/i.test(first.text)) return { commands: [words.slice(1)] };
  const flag = inlineFlag(program, words.slice(1));
  if (flag === null) return null;
  const behind = words.slice(words.indexOf(flag));
  if (isPowerShell) return /^[-/]c/i.test(flag.text) ? { commands: [], texts: joined(behind.slice(1)) } : null;
  const found = behind.slice(0, 3).flatMap((word) => callsIn(word.text).map((text) => ({ text, word })));
  return found.length === 0 ? null : { commands: [], texts: found };
}

const splits = /^(?:-[iv0]*S|--s(?:p[a-z-]*)?(?==|$))/;

function runsInner(inners: readonly Inner[]): Unwrapped | null {
  if (inners.length === 0) return null;
  return { commands: inners.map(({ words }) => words), assignments: inners.flatMap(({ assignments }) => assignments) };
}

function unwrapEnv(words: readonly Word[]): Unwrapped | null {
  const form = wrappers.get('env') ?? {};
  const split = words.findIndex(({ text }, at) => at > 0 && splits.test(text));
  const word = words[split];
  if (word === undefined || split >= Math.max(...endsOfOptions(words, 1, form)))
    return runsInner(innersOf(words, form));
  const glued = word.text.replace(splits, '').replace(/^=/, () => (word.text.startsWith('--') ? '' : '='));
  const rest = words.slice(split + 1).map(({ text }) => text);
  const [head = '', ...tail] = glued === '' ? rest : [glued, ...rest];
  // A string that env does not take is read as a shell would read it.
  const own = splitString(head) ?? [head];
  return { commands: [], texts: [{ text: `env ${[...own, ...tail.map(quote)].join(' ')}`, word }] };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
