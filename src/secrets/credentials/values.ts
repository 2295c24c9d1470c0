/**
 * What in a credential file is secret, for redaction: of JSON the values that are named so, or look so where no name says
 * it; of any other text all of it, and the values that are named so on their own too, since commands print them alone.
 */
import { classify } from '../../redact/names.ts';
import type { Declared } from '../../redact/types.ts';

const maxValues = 16;
const shortestValue = 8;
const assigned = /^[ \t]*(?:export[ \t]+)?["']?([\w.-]{2,64})["']?[ \t]*[=:][ \t]*(["']?)(.+?)\2[ \t]*[,;]?$/gm;
/** `.netrc` */
const spoken = /\bpassword[ \t\r\n]+(\S+)/g;
const random = /^(?=.*\d)(?=.*[A-Za-z])[^\s@]{16,}$/;

export function valuesIn(path: string, bytes: Uint8Array): readonly Declared[] {
  const text = Buffer.from(bytes).toString();
  const values = textsIn(text) ?? [text, ...namedIn(text)];
  return [...new Set(values)]
    .filter((value) => value.trim().length >= shortestValue)
    .slice(0, maxValues)
    .map((value) => ({ name: path, value }));
}

function namedIn(text: string): readonly string[] {
  const values = [...text.matchAll(assigned)].flatMap(([, name = '', , value = '']) =>
    classify(name) === null ? [] : [value],
  );
  return [...values, ...[...text.matchAll(spoken)].map(([, value = '']) => value)];
}

interface Leaf {
  /** The nearest one: elements of a list have that of the list. */
  readonly name: string;
  readonly text: string;
}

/** `null` when it is no JSON. */
function textsIn(text: string): readonly string[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'string') return [parsed];
    const leaves = leavesOf(parsed, '');
    const named = leaves.filter(({ name }) => classify(name) !== null);
    return (
      named.length > 0 ? named : leaves.filter((leaf) => random.test(leaf.text) && !leaf.text.includes('://'))
    ).map((leaf) => leaf.text);
  } catch {
    return null;
  }
}

function leavesOf(value: unknown, name: string): readonly Leaf[] {
  if (typeof value === 'string') return [{ name, text: value }];
  if (Array.isArray(value)) return value.flatMap((each: unknown) => leavesOf(each, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]: [string, unknown]) => leavesOf(each, key));
}
