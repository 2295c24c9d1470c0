/** Reads what the engine answered: a value of the wrong kind is as good as absent. */

export type Json = Readonly<Record<string, unknown>>;

const empty: Json = Object.freeze({});

export function object(value: unknown): Json {
  return isObject(value) ? value : empty;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function flag(value: unknown): boolean {
  return value === true;
}

export function strings(value: unknown): readonly string[] {
  return list(value).filter((item) => typeof item === 'string');
}

/** `null` for what is no JSON: the caller knows what to say about it. */
export function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
