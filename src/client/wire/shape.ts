/**
 * Light checks of what the service answers: the fields that this client reads itself, or that a caller surely reads, are of
 * their kind. A service that is older, or is another program, gets an error with a name and not a TypeError somewhere.
 */
import { CaissonError } from '../../errors.ts';
import { type Field, type Fields, membersOf, type Shape } from '../../service/verbs/row.ts';

export type { Shape } from '../../service/verbs/row.ts';

type Kind = Exclude<Extract<Field, string>, `${string}?` | 'host'>;

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
  const whole = withHost(value, shape);
  if (fits(whole, shape)) return whole;
  const fault = faultIn(whole, shape);
  throw new CaissonError('internal', `the service gave an answer of another form than this client knows: ${fault}`, {
    remedy: 'use the client of the version of the service, which `GET /openapi.json` names',
  });
}

/** A list whose items have a shape. */
export function listed<T extends object>(value: unknown, shape: Shape<T>): readonly T[] {
  const { items } = shaped<{ readonly items: readonly unknown[] }>(value, { items: 'list' });
  return items.map((item) => shaped(item, shape));
}

type FieldTable = Readonly<Record<string, Field | undefined>>;

/** `null`: it has the shape. */
function faultIn(value: unknown, shape: FieldTable): string | null {
  if (!isOf.object(value)) return 'it is no object';
  for (const [name, field = 'object'] of Object.entries(shape)) {
    const given: unknown = Reflect.get(Object(value), name);
    const kind = isFields(field) ? 'object' : kinds.find((each) => field.startsWith(each));
    if (kind !== undefined && !(isOf[kind](given) || (given === null && isOptional(field))))
      return `${name} is no ${kind}`;
    const inner = isFields(field) ? faultIn(given, field) : null;
    if (inner !== null) return `${name}.${inner}`;
  }
  return null;
}

const isFields = (field: Field): field is Fields => typeof field === 'object';
const isOptional = (field: Field): boolean => typeof field === 'string' && field.endsWith('?');

/** The answer with null for what is of the host of the service. */
function withHost(value: unknown, shape: FieldTable): unknown {
  const given = membersOf(value);
  const added = Object.entries(shape).flatMap(([name, field = 'object']) => {
    if (field === 'host') return [[name, null] as const];
    return isFields(field) ? [[name, withHost(given[name], field)] as const] : [];
  });
  return added.length === 0 || !isOf.object(value) ? value : { ...given, ...Object.fromEntries(added) };
}

/** Whether a value has the type, as far as the checks of its shape go. */
const fits = <T extends object>(value: unknown, shape: Shape<T>): value is T => faultIn(value, shape) === null;
