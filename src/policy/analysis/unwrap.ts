/** What a command runs in turn: commands named by its words, and texts for a shell. */
import { callsIn } from './calls.ts';
import { unwrapFind, unwrapXargs } from './xargs.ts';
import { unwrapInside } from './inside.ts';
import { afterOptions } from './options.ts';
import { programOf } from './names.ts';
import { joined, type Unwrapped } from './unwrapped.ts';
import { unwrapRunner } from './runners.ts';
import { inlineFlag, isInterpreter, isShell, shellCall } from './shells.ts';
import { unwrapText } from './texts.ts';
import type { Word } from './types.ts';
import { innerOf, isLoader, wrappers } from './wrappers.ts';

/** `null`: it runs nothing else that can be seen. `words` starts with the program. */
export function unwrap(program: string, words: readonly Word[]): Unwrapped | null {
  if (program === 'env') return unwrapEnv(words);
  if (program === 'xargs' || program === 'parallel') return unwrapXargs(words, program);
  if (program === 'find' || program === 'gfind' || program === 'bfs' || program === 'fd' || program === 'fdfind')
    return unwrapFind(words);
  if (isShell(program)) return unwrapShell(words);
  if (isInterpreter(program)) return unwrapCode(program, words) ?? unwrapRunner(program, words);
  const own = unwrapText(program, words) ?? unwrapInside(program, words);
  if (own !== null) return own;
  const run = unwrapRunner(program, words);
  if (run !== null) return run;
  if (program === 'exec' && words.length === 1) return null;
  const form = isLoader(program) ? {} : wrappers.get(program);
  const inner = form === undefined ? null : innerOf(words, form);
  return inner === null ? null : { commands: [inner.words], assignments: inner.assignments };
}

const mostLayers = 16;

/** Names of the programs that stand at the end of its wrappers. */
export function runBy(words: readonly Word[]): readonly string[] {
  let layer: readonly (readonly Word[])[] = unwrap(programOf(words[0]) ?? '', words)?.commands ?? [];
  const names = new Set<string | null>();
  for (let deep = 0; deep < mostLayers && layer.length > 0; deep += 1) {
    for (const [first] of layer) names.add(programOf(first));
    layer = layer.flatMap((inner) =>
      isTransparent(programOf(inner[0])) ? (unwrap(programOf(inner[0]) ?? '', inner)?.commands ?? []) : [],
    );
  }
  return [...names].filter((name) => name !== null);
}

const isTransparent = (program: string | null): boolean => program !== null && wrappers.has(program);

function unwrapShell(words: readonly Word[]): Unwrapped | null {
  const call = shellCall(words.slice(1));
  return call.kind === 'text'
    ? { commands: [], texts: [{ text: call.text.text, positional: call.positional, word: call.text }] }
    : null;
}

/** What inline code of an interpreter runs. PowerShell's is near enough to shell text. */
function unwrapCode(program: string, words: readonly Word[]): Unwrapped | null {
  const flag = inlineFlag(program, words.slice(1));
  if (flag === null) return null;
  const behind = words.slice(words.indexOf(flag));
  if (/^(?:powershell|pwsh)$/.test(program))
    return /^[-/]c/i.test(flag.text) ? { commands: [], texts: joined(behind.slice(1)) } : null;
  const found = behind.slice(0, 3).flatMap((word) => callsIn(word.text).map((text) => ({ text, word })));
  return found.length === 0 ? null : { commands: [], texts: found };
}

function unwrapEnv(words: readonly Word[]): Unwrapped | null {
  const split = words.findIndex(({ text }, at) => at > 0 && /^(?:-[iv0]*S|--sp[a-z-]*)/.test(text));
  const word = words[split];
  if (word === undefined || split >= afterOptions(words, 1, wrappers.get('env') ?? {})) {
    const inner = innerOf(words, wrappers.get('env') ?? {});
    return inner === null ? null : { commands: [inner.words], assignments: inner.assignments };
  }
  const glued = word.text.replace(/^(?:-[iv0]*S|--sp[a-z-]*=?)/, '');
  const rest = words.slice(split + 1).map(({ text }) => text);
  const all = glued === '' ? rest : [glued, ...rest];
  // The first of these is split at blanks by env itself; for finding out what runs, a shell reads it the same way.
  const [head = '', ...tail] = all;
  return { commands: [], texts: [{ text: `env ${[head, ...tail.map(quote)].join(' ')}`, word }] };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
