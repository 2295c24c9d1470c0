/** Whether two specs are the same, and where they differ. */
import { createHash } from 'node:crypto';
import type { Spec } from '../backend.ts';

/** 32 hexadecimal characters, the same for equal specs whatever the order of their keys. */
export function fingerprint(spec: Spec): string {
  return createHash('sha256').update(canonicalJson(spec)).digest('hex').slice(0, 32);
}

/** Dotted keys, `limits.pids` or `mounts.0.source`, in alphabetical order. */
export function differingKeys(a: Spec, b: Spec): string[] {
  const [left, right] = [leaves(a), leaves(b)];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => left.get(key) !== right.get(key)).sort();
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalJson(field)}`).join(',')}}`;
}

function leaves(value: unknown, at = ''): Map<string, string> {
  if (typeof value !== 'object' || value === null) return new Map([[at, JSON.stringify(value)]]);
  const prefix = at === '' ? '' : `${at}.`;
  return new Map(Object.entries(value).flatMap(([key, field]) => [...leaves(field, prefix + key)]));
}
