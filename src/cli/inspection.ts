/** What was wanted of a sandbox beside what was measured in it. */
import type { SandboxView } from '../service/api.ts';
import { formatNamed } from './format.ts';

/** Names in the spec, and where the probe inside tells about the same thing. */
const measuredAs: Readonly<Record<string, string>> = {
  'hardening.readOnlyRoot': 'readOnlyRoot',
  'hardening.seccomp': 'seccomp',
  network: 'interfaces',
};

const maxRows = 200;
const deepest = 6;

/** Rows of name, wanted and effective. `-`: not asked for, or not measured. */
export function comparison({ spec, effective }: SandboxView): string[][] {
  const measured = flatten(effective ?? {});
  const shown = new Set<string>();
  const rows = [...flatten(spec)].map(([name, wanted]) => {
    const key = measuredAs[name] ?? name;
    shown.add(key);
    return [name, wanted, measured.get(key) ?? '-'];
  });
  const rest = [...measured].filter(([name]) => !shown.has(name)).map(([name, value]) => [name, '-', value]);
  return [...rows, ...rest].slice(0, maxRows);
}

function flatten(value: object): Map<string, string> {
  const flat = new Map<string, string>();
  const pending: { readonly name: string; readonly value: unknown; readonly depth: number }[] = [
    { name: '', value, depth: 0 },
  ];
  for (let next = pending.shift(); next !== undefined && flat.size < maxRows; next = pending.shift()) {
    const { name, depth } = next;
    const children = depth < deepest ? childrenOf(next.value) : null;
    if (children === null) flat.set(name, show(name, next.value));
    else
      for (const [key, child] of children)
        pending.push({ name: name === '' ? key : `${name}.${key}`, value: child, depth: depth + 1 });
  }
  return flat;
}

/** Objects have a row a key, lists of objects a row an object; everything else is one value. */
function childrenOf(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (isRecord(value)) return Object.entries(value);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return null;
  return value.map((item, index) => [
    String(index + 1),
    Object.entries(item)
      .map(([key, part]) => `${key}=${show(key, part)}`)
      .join(' '),
  ]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(name: string, value: unknown): string {
  if (value === null) return '-';
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return formatNamed(name, value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((item) => show('', item)).join(',');
  return JSON.stringify(value);
}
