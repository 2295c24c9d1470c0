/** What is kept of a command: its words without values of its environment, and a hash by which it is found again. */
import { hash } from 'node:crypto';
import { Redaction } from '../redact/redactor.ts';
import type { Json } from './types.ts';

const maxUnits = 8192;
/** Shorter values (`1`, `true`, `prod`) stand in commands by chance, and are no secrets. */
const leastSecretUnits = 6;
/** Forms of secrets are taken out also where redaction of output is switched off. */
const formsOnly = new Redaction();

export interface Commanded {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Values that travel by the environment must not come in by the command: they are replaced by their names. */
export function commandFacts(
  { command, cwd, env }: Commanded,
  redaction: Redaction | null = null,
): Readonly<Record<string, Json>> {
  const words = shorten(maskedWords(command, (text) => masked(text, env, redaction)));
  return { command: words, command_sha256: hash('sha256', JSON.stringify(command)), cwd, env: Object.keys(env) };
}

/** All words in one go. Where a secret went beyond a word, each is looked at by itself. */
export function maskedWords(command: readonly string[], mask: (text: string) => string): readonly string[] {
  const words = mask(command.join('\0')).split('\0');
  return words.length === command.length ? words : command.map(mask);
}

/** `redaction` knows what was declared by earlier commands too. */
export function masked(word: string, env: Readonly<Record<string, string>>, redaction: Redaction | null): string {
  return (redaction ?? formsOnly).text(withoutValues(word, env));
}

function withoutValues(word: string, env: Readonly<Record<string, string>>): string {
  let text = word;
  for (const [name, value] of Object.entries(env))
    if (value.length >= leastSecretUnits) text = text.replaceAll(value, `[${name}]`);
  return text;
}

function shorten(words: readonly string[]): readonly string[] {
  let left = maxUnits;
  const kept: string[] = [];
  for (const word of words) {
    if (left <= 0) return [...kept, '[…]'];
    kept.push(word.length <= left ? word : `${word.slice(0, left)}[…]`);
    left -= word.length;
  }
  return kept;
}
