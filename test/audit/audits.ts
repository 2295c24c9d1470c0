/** Audits on a directory of the test's own, and ways to damage them. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditIn } from '../../src/audit/log.ts';
import type { Audit, AuditEntry, AuditRecord } from '../../src/audit/types.ts';

export interface AuditPlace extends Disposable {
  readonly path: string;
  /** Opens the audit log in the way of another process. */
  open(storeBytes?: number | null, fileBytes?: number): Audit;
  lines(): string[];
  write(lines: readonly string[]): void;
  append(text: string): void;
}

export function place(): AuditPlace {
  const path = join(mkdtempSync(join(tmpdir(), 'caisson-audit-')), 'audit');
  const file = join(path, 'audit.ndjson');
  return {
    path,
    open: (storeBytes = 1e9, fileBytes = 16 * 1024 ** 2) =>
      auditIn(path, { storeBytes, fileBytes, holder: 'own_test' }),
    lines: () => readFileSync(file, 'utf8').split('\n').slice(0, -1),
    write: (lines) => writeFileSync(file, lines.map((line) => `${line}\n`).join('')),
    append: (text) => appendFileSync(file, text),
    [Symbol.dispose]: () => rmSync(join(path, '..'), { recursive: true, force: true }),
  };
}

export const entry = (n: number, patch: Partial<AuditEntry> = {}): AuditEntry => ({
  type: 'run',
  taskId: 'build',
  execId: `exec_${n}`,
  command: ['echo', String(n)],
  ...patch,
});

export async function tailed(audit: Audit, count = 1000): Promise<readonly AuditRecord[]> {
  return await Array.fromAsync(audit.tail({ count, follow: false }));
}
