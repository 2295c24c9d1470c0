/** What a token is bound to: read from what is asked for, and as a text. Pure. */
import { CaissonError } from '../../errors.ts';
import type { Bounds } from '../../values/caller.ts';
import { checkLabel } from '../../values/labels.ts';
import { checkTaskId } from '../../values/task.ts';
import type { TokenBounds } from './types.ts';

const max = 64;
const imageForm = /^[^\s-]\S{0,511}$/;
const backendForm = /^[a-z][a-z0-9-]{0,31}$/;

/** `null`: nothing. Throws `invalid_argument`. */
export function boundsOf({ task, label, images, backends }: TokenBounds): Bounds | null {
  if ([task, label, images, backends].every((each) => each === undefined)) return null;
  if (task !== undefined && label !== undefined)
    throw boundsError('a token is bound to one task or to one label, not to both');
  return {
    task: task === undefined ? null : checkTaskId(task),
    label: label === undefined ? null : checkLabel(label.key, label.value),
    images: images === undefined ? null : checkList('images', images, imageForm),
    backends: backends === undefined ? null : checkList('backends', backends, backendForm),
  };
}

/** Callers may be untyped. */
function checkList(name: string, texts: unknown, form: RegExp): readonly string[] {
  if (!Array.isArray(texts) || texts.length === 0 || texts.length > max)
    throw boundsError(`a token is bound to 1 to ${max} ${name}, or to none in particular`);
  const given: readonly unknown[] = texts;
  return [...new Set(given.map((each) => checkText(name, each, form)))];
}

function checkText(name: string, text: unknown, form: RegExp): string {
  if (typeof text === 'string' && form.test(text)) return text;
  const shown = typeof text === 'string' ? JSON.stringify(text.slice(0, 64)) : `a ${typeof text}`;
  throw boundsError(`${shown} cannot be one of the ${name} of a token`);
}

/** For records and people. */
export function boundsText(bounds: Bounds | null): readonly string[] {
  if (bounds === null) return [];
  const { task, label, images, backends } = bounds;
  return [
    ...(task === null ? [] : [`task=${task}`]),
    ...(label === null ? [] : [`label ${label.key}=${label.value}`]),
    ...(images ?? []).map((image) => `image=${image}`),
    ...(backends ?? []).map((backend) => `backend=${backend}`),
  ];
}

const boundsError = (message: string): CaissonError => new CaissonError('invalid_argument', message);
