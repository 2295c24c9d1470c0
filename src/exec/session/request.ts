/** A request to a session, as the bytes to write. Quoted here once, evaluated there once. */
import { CaissonError } from '../../errors.ts';
import { quote } from './quote.ts';

/** The shell reads a byte at a time: a mebibyte takes about a second. */
const mostTextBytes = 1024 * 1024;
const nameForm = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export function checkSessionName(name: unknown): string {
  if (typeof name === 'string' && nameForm.test(name)) return name;
  throw new CaissonError('invalid_argument', 'this is no name of a session', {
    remedy: 'use 1 to 63 of a-z, 0-9, _ and -, starting with a letter or digit',
  });
}

export function checkText(text: string): void {
  if (text.includes('\0')) throw new CaissonError('invalid_argument', 'the text contains a NUL byte');
  if (Buffer.byteLength(text) > mostTextBytes)
    throw new CaissonError('invalid_argument', `the text is longer than ${mostTextBytes} bytes`, {
      remedy: 'copy it into the sandbox and run it from there',
    });
}

export function encodeText(input: {
  readonly text: string;
  readonly env: Readonly<Record<string, string>>;
  readonly nonce: string;
}): string {
  const given = Object.entries(input.env).flatMap(([name, value]) => [name, quote(value)]);
  return `_cz_X=${quote(input.text)}; _cz_give ${given.join(' ')} #.\nM ${input.nonce} #.\n`;
}
