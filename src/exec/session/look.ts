/**
 * What a session's shell reports of itself between two texts: its directory, and what it has defined of some names. Written in
 * netstrings, behind a token that nothing else in the stream can know, with the length of all of them: what a background
 * job writes in between is found out.
 */
import { halvesOf } from '../lane/halves.ts';
import { quote } from './quote.ts';

export interface Definition {
  readonly kind: 'function' | 'alias';
  readonly name: string;
  /** The body of the function, as shell text, or what the alias stands for. `null`: the shell cannot tell. */
  readonly text: string | null;
}

export interface ShellState {
  /** Real and absolute. */
  readonly cwd: string;
  readonly definitions: readonly Definition[];
}

export function encodeLook(input: {
  readonly nonce: string;
  readonly token: string;
  readonly names: readonly string[];
}): string {
  return `S ${halvesOf(input.nonce)} ${[halvesOf(input.token), ...input.names].map(quote).join(' ')} #.\n`;
}

/** `null`: no answer, or not in its form. */
export function readLook(bytes: Buffer, token: string): ShellState | null {
  const at = bytes.indexOf(token);
  const all = at < 0 ? null : splitNetstrings(bytes.subarray(at + token.length));
  const [whole, ...more] = all ?? [];
  const [cwd, ...parts] = whole === undefined || more.length > 0 ? [] : (splitNetstrings(whole) ?? []);
  if (cwd?.[0] !== slash || parts.length % 3 !== 0) return null;
  const definitions: Definition[] = [];
  for (let from = 0; from < parts.length; from += 3) {
    const [kind = '', name = '', text = ''] = parts.slice(from, from + 3).map((part) => part.toString());
    definitions.push(kind === 'f' ? parseFunction(name, text) : { kind: 'alias', name, text: parseAlias(text) });
  }
  return { cwd: cwd.toString().replace(/^\/+/, '/'), definitions };
}

const slash = 0x2f;

/** `5:hello,2:no,` */
function splitNetstrings(bytes: Buffer): readonly Buffer[] | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const colon = bytes.indexOf(':', at);
    const length = colon < 0 || colon - at > 9 ? '' : bytes.toString('latin1', at, colon);
    if (!/^\d+$/.test(length)) return null;
    const end = colon + 1 + Number(length);
    if (bytes[end] !== 0x2c) return null;
    parts.push(bytes.subarray(colon + 1, end));
    at = end + 1;
  }
  return parts;
}

/** Reads the print of `declare -f`: the name and `()` on a line, then the body. */
function parseFunction(name: string, text: string): Definition {
  const body = /^[^\n]*\(\)\s*\n([^]*)$/.exec(text)?.[1];
  return { kind: 'function', name, text: body ?? null };
}

/** Reads the print of `alias`: a quoted word after the name. */
function parseAlias(text: string): string {
  return text
    .slice(text.indexOf('=') + 1)
    .replace(
      /'([^']*)'|"([^"]*)"|\\([^])/g,
      (_, single?: string, double?: string, one?: string) => single ?? double ?? one ?? '',
    );
}
