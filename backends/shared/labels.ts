/** Labels as they come back from a file, read strictly: a user who can write there can write anything. */
import type { Labels } from '../../src/backend.ts';

const labelNames = ['instance', 'sandbox', 'task', 'fingerprint', 'created', 'schema'] as const;
const labelForm = /^[A-Za-z0-9_.:-]{1,63}$/;

/** `null` for what we did not write. */
export function labelsFrom(value: unknown): Labels | null {
  if (!isRecord(value)) return null;
  const [instance, sandbox, task, fingerprint, created, schema] = labelNames.map((name) => value[name]);
  return isLabel(instance) &&
    isLabel(sandbox) &&
    isLabel(task) &&
    isLabel(fingerprint) &&
    isLabel(created) &&
    isLabel(schema)
    ? { instance, sandbox, task, fingerprint, created, schema }
    : null;
}

export function isLabel(value: unknown): value is string {
  return typeof value === 'string' && labelForm.test(value);
}

/** `null` for a text that is not JSON, and so not ours. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
