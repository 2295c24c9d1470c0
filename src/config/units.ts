/**
 * Sizes and times with a unit, such as `2g` and `5m`, as the command line takes them. They become numbers of the unit that their key
 * has before anything is checked: the schema knows numbers alone.
 */
type Unit = 'seconds' | 'megabytes' | 'bytes';

/** Unit of a bare number, by dotted key. */
const units: Readonly<Record<string, Unit>> = {
  'terminal.timeout': 'seconds',
  'terminal.lifetime_seconds': 'seconds',
  'terminal.max_lifetime_seconds': 'seconds',
  'terminal.container_memory': 'megabytes',
  'terminal.container_disk': 'megabytes',
  'approvals.timeout': 'seconds',
  'approvals.session_seconds': 'seconds',
  'tool_loop_guardrails.window_seconds': 'seconds',
  'security.tirith_timeout': 'seconds',
  'exec.output_bytes': 'bytes',
  'exec.spill_bytes': 'bytes',
  'exec.retention_seconds': 'seconds',
  'exec.store_bytes': 'bytes',
  'audit.file_bytes': 'bytes',
  'audit.store_bytes': 'bytes',
};

/** For editors. */
export const unitForms: Readonly<Record<Unit, string>> = {
  seconds: '^\\d{1,12}(\\.\\d{1,6})?(ms|s|m|h|d)$',
  megabytes: '^\\d{1,12}(\\.\\d{1,6})?[kmgtKMGT](i?[bB])?$',
  bytes: '^\\d{1,12}(\\.\\d{1,6})?[kmgtKMGT](i?[bB])?$',
};

const seconds: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };
const bytes: Readonly<Record<string, number>> = { k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const factors: Readonly<Record<Unit, { readonly by: Readonly<Record<string, number>>; readonly of: number }>> = {
  seconds: { by: seconds, of: 1 },
  megabytes: { by: bytes, of: 1024 ** 2 },
  bytes: { by: bytes, of: 1 },
};

/** `null`: the key takes no unit. */
export function unitOf(section: string, key: string): Unit | null {
  return units[`${section}.${key}`] ?? null;
}

/** Converts an amount with a unit. Any other value stays unchanged, for the check to report. */
export function inUnit(section: string, key: string, value: unknown): unknown {
  const unit = unitOf(section, key);
  if (unit === null || typeof value !== 'string' || !new RegExp(unitForms[unit]).test(value)) return value;
  const [, amount = '', suffix = ''] = /^([\d.]+)(ms|[a-z])/.exec(value.toLowerCase()) ?? [];
  const { by, of } = factors[unit];
  return (Number(amount) * (by[suffix] ?? Number.NaN)) / of;
}

/** A whole document, with the overrides of its tasks. */
export function withUnits(document: unknown): unknown {
  return mapped(document, (section, keys) =>
    section === 'tasks'
      ? mapped(keys, (_task, terminal) => sectionInUnits('terminal', terminal))
      : sectionInUnits(section, keys),
  );
}

function sectionInUnits(section: string, keys: unknown): unknown {
  return mapped(keys, (key, value) => inUnit(section, key, value));
}

function mapped(value: unknown, each: (key: string, value: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]: [string, unknown]) => [key, each(key, inner)]));
}
