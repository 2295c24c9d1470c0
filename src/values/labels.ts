/**
 * Labels of sandboxes: what callers sort them by, and what tokens may be bound to. The grammar is that of labels of Kubernetes,
 * so that they can be carried over. Pure.
 */
import { CaissonError } from '../errors.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Label {
  /** Key, with the grammar of Kubernetes. */
  readonly key: string;
  /** Value, with the grammar of Kubernetes. */
  readonly value: string;
}

export const maxLabels = 64;
/** Keys of Caisson itself, on resources of its backends. */
const reserved = 'caisson.';

const word = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?';
const host = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
export const labelKeyForm = `(?:(?=[a-z0-9.-]{1,253}/)${host}(?:\\.${host})*/)?${word}`;
export const labelValueForm = `(?:${word})?`;
const keyForm = new RegExp(`^${labelKeyForm}$`);
const valueForm = new RegExp(`^${labelValueForm}$`);

/** Throws `invalid_argument`, naming the label. */
export function checkLabel(key: unknown, value: unknown): Label {
  if (typeof key !== 'string' || !keyForm.test(key))
    throw labelError(
      `${shown(key)} cannot be the key of a label`,
      'letters, digits, -, _ and ., at most 63, a letter or digit first and last; before it, the name of a domain and / may stand',
    );
  if (key.startsWith(reserved)) throw labelError(`keys of labels that begin with ${reserved} belong to Caisson`);
  if (typeof value !== 'string' || !valueForm.test(value))
    throw labelError(
      `${shown(value)} cannot be the value of the label ${key}`,
      'letters, digits, -, _ and ., at most 63, a letter or digit first and last; or nothing',
    );
  return { key, value };
}

/** Throws `invalid_argument`. */
export function checkLabels(labels: unknown): Labels {
  if (!isObject(labels)) throw labelError('labels must be an object of texts');
  const entries = Object.entries(labels);
  if (entries.length > maxLabels) throw labelError(`a sandbox has at most ${maxLabels} labels`);
  return Object.fromEntries(entries.map(([key, value]) => [checkLabel(key, value).key, String(value)]));
}

/** What is there with what is set; `null` removes. Throws `invalid_argument`. */
export function mergedLabels(labels: Labels, change: Readonly<Record<string, string | null>>): Labels {
  if (!isObject(change)) throw labelError('labels must be an object of texts and nulls');
  const merged = new Map(Object.entries(labels));
  for (const [key, value] of Object.entries(change)) {
    checkLabel(key, value ?? '');
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  if (merged.size > maxLabels) throw labelError(`a sandbox has at most ${maxLabels} labels`);
  return Object.fromEntries([...merged].toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** Whether all that are wanted are there, with their values. */
export function hasLabels(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => JSON.stringify(typeof value === 'string' ? value.slice(0, 64) : typeof value);

function labelError(message: string, remedy?: string): CaissonError {
  return new CaissonError('invalid_argument', message, remedy === undefined ? {} : { remedy });
}
