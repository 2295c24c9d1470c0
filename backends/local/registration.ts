/** The content of one registration file, and the strict reading of it. */
import type { Labels } from '../../src/backend.ts';
import { isRecord, labelsFrom, parseJson } from '../shared/labels.ts';

export interface Registration {
  readonly v: 1;
  readonly name: string;
  readonly labels: Labels;
  readonly state: 'running' | 'stopped';
}

/** `null` for a text that we did not write. */
export function parseRegistration(text: string): Registration | null {
  const value = parseJson(text);
  if (!isRecord(value) || value['v'] !== 1 || typeof value['name'] !== 'string') return null;
  const { name, state } = value;
  const labels = labelsFrom(value['labels']);
  if (labels === null || (state !== 'running' && state !== 'stopped')) return null;
  return { v: 1, name, labels, state };
}
