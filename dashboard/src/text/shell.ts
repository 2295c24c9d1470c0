/** An action of a page as a line for a terminal: quoted, and without a token. Pure. */
import { isPlain } from './hostile.ts';

const bare = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word of a shell of POSIX. */
export const quoted = (word: string): string =>
  bare.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

export interface Action {
  /** Words after `caisson`. `null`: the command line has no such command. */
  readonly words: readonly string[] | null;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** One request to each. */
  readonly paths: readonly string[];
  readonly body?: object;
}

export interface Lines {
  readonly caisson: string | null;
  readonly curl: string;
}

/** `null`: a name in it has a line break, an escape or a mark that reorders: it is not to be pasted. */
export function linesOf(action: Action, origin: string): Lines | null {
  const { words, method, paths, body } = action;
  if (![...(words ?? []), ...paths].every(isPlain)) return null;
  const type = body === undefined ? [] : ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
  const curl = [
    'curl',
    '-H',
    '@caller',
    ...(method === 'GET' ? [] : ['-X', method]),
    ...type,
    ...paths.map((path) => origin + path),
  ];
  const caisson = words === null ? null : ['caisson', ...words].map(quoted).join(' ');
  return { caisson, curl: curl.map(quoted).join(' ') };
}

/** A command as a person would type it. */
export const commandText = (command: readonly string[]): string => {
  const [shell, flag, text] = command;
  const isText = command.length === 3 && /^(?:ba|da)?sh$/.test(shell ?? '') && (flag === '-c' || flag === '-lc');
  return isText && text !== undefined ? text : command.map(quoted).join(' ');
};
