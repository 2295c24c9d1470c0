/** What in a credential file is secret, for redaction: the values of a JSON object that are named so, else all of it. */
import { classify } from '../redact/names.ts';
import type { Declared } from '../redact/types.ts';

const mostValues = 16;
const shortestValue = 8;

export function valuesIn(path: string, bytes: Uint8Array): readonly Declared[] {
  const text = Buffer.from(bytes).toString();
  const values = textsIn(text) ?? [text];
  return values
    .filter((value) => value.trim().length >= shortestValue)
    .slice(0, mostValues)
    .map((value) => ({ name: path, value }));
}

/** `null` when it is no JSON. */
function textsIn(text: string): readonly string[] | null {
  const found: string[] = [];
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (typeof value === 'string' && classify(key) !== null) found.push(value);
      return value;
    });
    return found;
  } catch {
    return null;
  }
}
