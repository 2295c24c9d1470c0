/** Exact replacements in a text, in turn. What they cost is counted over all of them, before anything is built. */
import { CaissonError } from '../../errors.ts';
import { yieldOften } from '../yield-often.ts';
import { placesOf } from './places.ts';
import { maxGrown, patchTooLargeError, patchMismatchError } from './unfit.ts';

export interface Edit {
  /** Text to replace, exactly as it stands in the file. */
  readonly find: string;
  /** Text to put there. */
  readonly replace: string;
  /** Every place. Otherwise there must be exactly one. */
  readonly all?: boolean;
}

/** Characters that all edits together may search. */
const maxSearched = 1024 * 1024 * 1024;
/** Places that all edits together may replace. */
const maxPlaces = 1024 * 1024;
/** V8 searches for a longer text in time that grows with the product of both lengths. */
const longestNative = 250;

interface RemainingWork {
  searched: number;
  places: number;
}

/** Throws `invalid_argument` for a text that is not there, or is there more than once, and for what is too much. */
export async function applyEdits(text: string, edits: readonly Edit[]): Promise<string> {
  const max = maxGrown(Buffer.byteLength(text));
  const left = { searched: maxSearched, places: maxPlaces };
  const turn = yieldOften(undefined);
  let [current, bytes] = [text, Buffer.byteLength(text)];
  for (const [at, edit] of edits.entries()) {
    const places = placesIn(current, { edit, name: `edit ${at + 1}` }, left);
    bytes += places.length * (Buffer.byteLength(edit.replace) - Buffer.byteLength(edit.find));
    if (bytes > max) throw patchTooLargeError(max);
    current = replaced(current, edit, places);
    await turn();
  }
  return current;
}

function placesIn(
  text: string,
  { edit, name }: { readonly edit: Edit; readonly name: string },
  left: RemainingWork,
): readonly number[] {
  const { find, all = false } = edit;
  if (find === '') throw patchMismatchError(`${name} looks for nothing`);
  left.searched -= text.length;
  if (left.searched < 0) throw patchWorkError(`all edits together search more than ${maxSearched} characters`);
  const places = standsAt(text, find, all ? left.places + 1 : 2);
  if (places.length === 0) throw patchMismatchError(`the text of ${name} is not there`);
  if (places.length > 1 && !all) throw patchMismatchError(`the text of ${name} is there 2 times or more`);
  left.places -= places.length;
  if (left.places < 0) throw patchWorkError(`all edits together replace more than ${maxPlaces} places`);
  return places;
}

function standsAt(text: string, find: string, max: number): readonly number[] {
  if (find.length > longestNative) return placesOf(unitsOf(text), unitsOf(find), { from: 0, max, apart: true });
  const places: number[] = [];
  let at = text.indexOf(find);
  while (at >= 0 && places.length < max) {
    places.push(at);
    at = text.indexOf(find, at + find.length);
  }
  return places;
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

function replaced(text: string, { find, replace }: Edit, places: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const at of places) {
    parts.push(text.slice(from, at));
    from = at + find.length;
  }
  parts.push(text.slice(from));
  return parts.join(replace);
}

function patchWorkError(why: string): CaissonError {
  return new CaissonError('invalid_argument', `the patch is too much work: ${why}; nothing was changed`, {
    remedy: 'write the whole file instead, or edit it with a command',
  });
}
