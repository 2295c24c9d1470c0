/** A request to a session, as the bytes to write. Quoted here once, evaluated there once. */
import { CaissonError } from '../../errors.ts';
import { halvesOf } from '../lane/halves.ts';
import { quote } from './quote.ts';

/** The shell reads a byte at a time: a mebibyte takes about a second. */
const maxTextBytes = 1024 * 1024;
const nameForm = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function checkSessionName(name: unknown): string {
  if (typeof name === 'string' && nameForm.test(name)) return name;
  throw new CaissonError('invalid_argument', 'this is no name of a session', {
    remedy: 'use 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit',
  });
}

/** Text for the shell. Words are quoted each; throws `invalid_argument` for none. */
export function checkedText(given: string | readonly string[]): string {
  const text = typeof given === 'string' ? given : wordsOf(given).map(quoted).join(' ');
  if (text.includes('\0')) throw new CaissonError('invalid_argument', 'the text contains a NUL byte');
  if (Buffer.byteLength(text) > maxTextBytes)
    throw new CaissonError('invalid_argument', `the text is longer than ${maxTextBytes} bytes`, {
      remedy: 'copy it into the sandbox and run it from there',
    });
  return text;
}

function wordsOf(given: unknown): readonly string[] {
  if (Array.isArray(given) && given.length > 0 && given.every((word) => typeof word === 'string')) return given;
  throw new CaissonError('invalid_argument', 'a text of a session is shell text, or a program and its arguments');
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export function encodeText(input: {
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly nonce: string;
}): string {
  const names = Object.keys(input.env);
  const give = Object.entries(input.env).map(
    ([name, value]) => `${keep(name)}; \\command export ${name}=${quote(value)}`,
  );
  const words = { _cz_X: input.text, _cz_G: give.join('; '), _cz_T: names.map(giveBack).join('; ') };
  const assignments = Object.entries(words).map(([name, word]) => `${name}=${quote(word)}`);
  return `${assignments.join(' ')} #.\nM ${halvesOf(input.nonce)} #.\n`;
}

function keep(name: string): string {
  return `_cz_had_${name}=\${${name}+x} _cz_old_${name}=\${${name}-}`;
}

function giveBack(name: string): string {
  const had = `_cz_had_${name}`;
  const old = `_cz_old_${name}`;
  return `\\command test -n "$${had}" && ${name}=$${old} || \\command unset ${name}; \\command unset ${had} ${old}`;
}
