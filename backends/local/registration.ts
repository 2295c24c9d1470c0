/** The content of one registration file, and the strict reading of it. */
import type { Labels } from '../../src/backend.ts';

export interface Registration {
  readonly v: 1;
  readonly name: string;
  readonly labels: Labels;
  readonly state: 'running' | 'stopped';
}

const labelNames = ['instance', 'sandbox', 'task', 'fingerprint', 'created', 'schema'] as const;

/** `null` for a text that we did not write. */
export function parseRegistration(text: string): Registration | null {
  const value = parseJson(text);
  if (!isRecord(value) || value['v'] !== 1 || typeof value['name'] !== 'string') return null;
  const { name, state } = value;
  const labels = parseLabels(value['labels']);
  if (labels === null || (state !== 'running' && state !== 'stopped')) return null;
  return { v: 1, name, labels, state };
}

function parseLabels(value: unknown): Labels | null {
  if (!isRecord(value)) return null;
  const [instance, sandbox, task, fingerprint, created, schema] = labelNames.map((name) => value[name]);
  return typeof instance === 'string' &&
    typeof sandbox === 'string' &&
    typeof task === 'string' &&
    typeof fingerprint === 'string' &&
    typeof created === 'string' &&
    typeof schema === 'string'
    ? { instance, sandbox, task, fingerprint, created, schema }
    : null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not ours: the caller tells it as such.
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
