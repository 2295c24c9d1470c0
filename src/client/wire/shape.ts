/**
 * Light checks of what the service answers: the fields that this client reads itself, or that a caller surely reads, are of
 * their kind. A service that is older, or is another program, gets an error with a name and not a TypeError somewhere.
 */
import { CaissonError } from '../../errors.ts';

type Kind = 'text' | 'number' | 'flag' | 'object' | 'list';
/** `text?`: or null. */
export type Field = Kind | `${Kind}?`;
export type Shape<T> = { readonly [Name in keyof T]?: Field };

const isOf: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  flag: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  list: (value) => Array.isArray(value),
};
const kinds: readonly Kind[] = ['text', 'number', 'flag', 'object', 'list'];

/** Throws `internal`, which names the field. */
export function shaped<T extends object>(value: unknown, shape: Shape<T>): T {
  if (fits(value, shape)) return value;
  const fault = faultIn(value, shape);
  throw new CaissonError('internal', `the service gave an answer of another form than this client knows: ${fault}`, {
    remedy: 'use the client of the version of the service, which `GET /openapi.json` names',
  });
}

/** A list whose items have a shape. */
export function listed<T extends object>(value: unknown, shape: Shape<T>): readonly T[] {
  const { items } = shaped<{ readonly items: readonly unknown[] }>(value, { items: 'list' });
  return items.map((item) => shaped(item, shape));
}

/** `null`: it has the shape. */
function faultIn(value: unknown, shape: Readonly<Record<string, Field | undefined>>): string | null {
  if (!isOf.object(value)) return 'it is no object';
  for (const [name, field = 'object'] of Object.entries(shape)) {
    const kind = kinds.find((each) => field.startsWith(each)) ?? 'object';
    const given: unknown = Reflect.get(Object(value), name);
    if (!(isOf[kind](given) || (given === null && field.endsWith('?')))) return `${name} is no ${kind}`;
  }
  return null;
}

/** Whether a value has the type, as far as the checks of its shape go. */
const fits = <T extends object>(value: unknown, shape: Shape<T>): value is T => faultIn(value, shape) === null;
