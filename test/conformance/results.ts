/**
 * What a run of the suite tells, for people and for scripts.
 *
 * Every case writes its part into `meta.conformance` of its test, which vitest's JSON reporter prints. `summarize` reads
 * that report: one row a backend, deviations with their reasons.
 */

export interface CaseMeta {
  readonly backend: string;
  readonly id: string;
  /** `absent`: the place lacks the ability, and the case tests that asking for it fails properly. */
  readonly kind: 'case' | 'absent' | 'deviation' | 'not-run';
  readonly reason?: string;
}

export interface Row {
  readonly backend: string;
  readonly cases: number;
  readonly passed: number;
  readonly absent: readonly string[];
  readonly deviations: readonly { readonly id: string; readonly reason: string }[];
  readonly failed: readonly string[];
  /** Why nothing ran; `null` when something did. */
  readonly notRun: string | null;
}

declare module 'vitest' {
  interface TaskMeta {
    conformance?: CaseMeta;
  }
}

/** `report` is the parsed output of `vitest run --reporter=json test/conformance`. */
export function summarize(report: unknown): readonly Row[] {
  const rows = new Map<string, Mutable>();
  for (const { meta, passed } of assertions(report)) {
    const row = rows.get(meta.backend) ?? { cases: 0, passed: 0, absent: [], deviations: [], failed: [], notRun: null };
    rows.set(meta.backend, row);
    if (meta.kind === 'not-run') row.notRun = meta.reason ?? 'unknown';
    else count(row, meta, passed);
  }
  return [...rows].map(([backend, row]) => ({ backend, ...row }));
}

interface Mutable {
  cases: number;
  passed: number;
  absent: string[];
  deviations: { id: string; reason: string }[];
  failed: string[];
  notRun: string | null;
}

function count(row: Mutable, meta: CaseMeta, passed: boolean): void {
  row.cases += 1;
  if (meta.kind === 'absent') row.absent.push(meta.id);
  if (meta.kind === 'deviation') row.deviations.push({ id: meta.id, reason: meta.reason ?? '' });
  if (passed) row.passed += 1;
  else row.failed.push(meta.id);
}

function assertions(report: unknown): readonly { readonly meta: CaseMeta; readonly passed: boolean }[] {
  return listAt(report, 'testResults')
    .flatMap((file) => listAt(file, 'assertionResults'))
    .flatMap((assertion) => {
      const meta = at(at(assertion, 'meta'), 'conformance');
      return isCaseMeta(meta) ? [{ meta, passed: at(assertion, 'status') === 'passed' }] : [];
    });
}

function isCaseMeta(value: unknown): value is CaseMeta {
  const kind = at(value, 'kind');
  return (
    typeof at(value, 'backend') === 'string' &&
    typeof at(value, 'id') === 'string' &&
    (kind === 'case' || kind === 'absent' || kind === 'deviation' || kind === 'not-run')
  );
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
