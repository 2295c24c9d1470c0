/** Records of the audit as rows of a table. */
import { expect, it } from 'vitest';
import { auditRow } from '../../src/cli/audit.ts';
import type { AuditRecord } from '../../src/service/api.ts';

const at = '2026-01-02T12:00:00.000Z';
const record = (type: AuditRecord['type'], facts: object): AuditRecord => ({
  seq: 1,
  at,
  type,
  taskId: 'build',
  execId: 'exec_1',
  owner: 'operator',
  hash: 'x',
  prev: 'y',
  ...facts,
});

it.each([
  ['a run', 'run', { backend: 'docker', command: ['make', 'test'] }, 'docker: make test'],
  ['a run as another user', 'run', { backend: 'docker', user: 'nobody', command: ['id'] }, 'docker as nobody: id'],
  ['an exit', 'exit', { reason: 'exited', exit_code: 3 }, 'exited 3'],
  ['what did not start', 'exit', { reason: 'lost', exit_code: null, started: false }, 'did not start'],
  ['an end that is not known', 'exit', { reason: 'lost', exit_code: null, note: 'it went away' }, 'lost it went away'],
] as const)('%s says what was done', (_name, type, facts, what) => {
  expect(auditRow(record(type, facts)).at(-1)).toBe(what);
});
