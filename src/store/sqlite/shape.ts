/**
 * Checks of stored values, by hand: every command reads rows, and a schema library would cost it more than the rest of
 * the store. What is not known is left out, what is wrong throws a `ShapeError` that names its place.
 */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

export type Check<T> = (value: unknown, at: string) => T;

export const text: Check<string> = (value, at) => (typeof value === 'string' ? value : wrong(at, 'a string', value));

export const flag: Check<boolean> = (value, at) =>
  typeof value === 'boolean' ? value : wrong(at, 'true or false', value);

export const number: Check<number> = (value, at) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : wrong(at, 'a number from 0 on', value);

export const integer: Check<number> = (value, at) =>
  Number.isSafeInteger(value) ? number(value, at) : wrong(at, 'a whole number', value);

export const scalar: Check<string | number | boolean> = (value, at) =>
  typeof value === 'string' || typeof value === 'boolean' ? value : number(value, at);

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value, at) => (value === null ? null : check(value, at));
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Check<T> {
  return (value, at) => allowed.find((each) => each === value) ?? wrong(at, allowed.join(' or '), value);
}

export const record: Check<Readonly<Record<string, unknown>>> = (value, at) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : wrong(at, 'an object', value);

export function list<T>(check: Check<T>): Check<readonly T[]> {
  return (value, at) =>
    Array.isArray(value)
      ? value.map((item: unknown, index) => check(item, `${at}[${index}]`))
      : wrong(at, 'a list', value);
}

export function object<T>(checks: { readonly [K in keyof T]: Check<T[K]> }): Check<T>;
export function object(checks: Readonly<Record<string, Check<unknown>>>): Check<unknown> {
  return (value, at) => {
    const fields = record(value, at);
    return Object.fromEntries(Object.entries(checks).map(([key, check]) => [key, check(fields[key], `${at}.${key}`)]));
  };
}

/** Checks each text once: a row is read for every command, and its columns of JSON hardly ever change. */
export function json<T>(check: Check<T>): Check<T> {
  const checked = new Map<string, T>();
  return (value, at) => {
    const source = text(value, at);
    const known = checked.get(source);
    if (known !== undefined) return known;
    const fresh = check(parse(source, at), at);
    if (checked.size >= maxRemembered) checked.clear();
    checked.set(source, fresh);
    return fresh;
  };
}

const maxRemembered = 256;

function parse(source: string, at: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new ShapeError(`${at} is not JSON`, { cause: error });
  }
}

function wrong(at: string, expected: string, value: unknown): never {
  const got = value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
  throw new ShapeError(`${at} should be ${expected}, it is ${got === 'undefined' ? 'absent' : got}`);
}
