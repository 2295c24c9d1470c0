/** Labels as they come back from the host, read strictly: whoever can write there can write anything. */
import type { Labels, ResourceState } from '../../src/backend.ts';

const labelNames = ['instance', 'sandbox', 'task', 'fingerprint', 'created', 'schema'] as const;
const labelForm = /^[A-Za-z0-9_.:-]{1,63}$/;

/** `null` for a text that we did not write. */
export function parseLabels(text: string): Labels | null {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null) return null;
  const [instance, sandbox, task, fingerprint, created, schema] = labelNames.map((name): unknown =>
    Reflect.get(value, name),
  );
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

export function stateOf(word: string): ResourceState {
  return word === 'running' || word === 'stopped' ? word : 'unknown';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not ours: the caller tells it as such.
    return null;
  }
}
