/** Reads JSON that a stranger wrote: bounded in depth, with each key once, and without keys that mean something to JavaScript. */
import { CaissonError } from '../../errors.ts';

const maxDepth = 32;
const maxKeys = 20_000;
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

export function readJson(text: string): unknown {
  if (text === '') return undefined;
  checkShape(text);
  try {
    return JSON.parse(text);
  } catch {
    throw bodyError('the body is not JSON');
  }
}

interface Level {
  /** `null`: an array. */
  readonly keys: Set<string> | null;
  atKey: boolean;
}

/** Looks at the text itself, since a parser keeps the last of two equal keys, and recurses as deep as the text does. */
function checkShape(text: string): void {
  const levels: Level[] = [];
  let seen = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    const level = levels.at(-1);
    if (character === '"') {
      const end = endOfString(text, at);
      if (level?.keys && level.atKey) seen = addKey(level, text.slice(at, end + 1), seen);
      at = end;
    } else if (character === '{' || character === '[') {
      if (levels.length >= maxDepth) throw bodyError(`the body is nested deeper than ${maxDepth} levels`);
      levels.push({ keys: character === '{' ? new Set() : null, atKey: character === '{' });
    } else if (character === '}' || character === ']') levels.pop();
    else if (character === ',' && level !== undefined) level.atKey = level.keys !== null;
    else if (character === ':' && level !== undefined) level.atKey = false;
  }
}

/** Finds the closing quote of a string; the end of the text where it has none. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === '\\') before--;
  return (at - before) % 2 === 0;
}

function addKey(level: Level, quoted: string, seen: number): number {
  const key = keyOf(quoted);
  if (forbidden.has(key)) throw bodyError('the body has a key that no request has');
  if (level.keys?.has(key) === true) throw bodyError(`the body has the key ${JSON.stringify(key.slice(0, 64))} twice`);
  if (seen >= maxKeys) throw bodyError(`the body has more than ${maxKeys} keys`);
  level.keys?.add(key);
  return seen + 1;
}

function keyOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw bodyError('the body is not JSON');
  }
}

function bodyError(message: string): CaissonError {
  return new CaissonError('invalid_argument', message);
}
