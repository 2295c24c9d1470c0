/** Answers as people type them. Only the exact words count: what is nearly a yes is a no. */
import type { Scope } from './needed.ts';

const longest = 32;

/** Letters and words of the question on the command line, and words of replies in a chat. */
const words: Readonly<Record<string, Scope>> = {
  o: 'once',
  once: 'once',
  s: 'session',
  session: 'session',
  a: 'always',
  always: 'always',
  yes: 'once',
  y: 'once',
  approve: 'once',
  ok: 'once',
  go: 'once',
  d: 'deny',
  deny: 'deny',
  no: 'deny',
  n: 'deny',
  cancel: 'deny',
};

/** Case and blanks around it do not count; nothing else is forgiven. What was not offered, and no word at all, is `deny`. */
export function readAnswer(text: unknown, choices: readonly Scope[]): Scope {
  if (typeof text !== 'string' || text.length > longest) return 'deny';
  const word = text.replace(/^[ \t]+|[ \t\r\n]+$/g, '').toLowerCase();
  const chosen = Object.hasOwn(words, word) ? words[word] : undefined;
  return chosen !== undefined && choices.includes(chosen) ? chosen : 'deny';
}
