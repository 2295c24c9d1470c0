import { describe, expect, it, vi } from 'vitest';
import type { AuditEntry } from '../../src/audit/types.ts';
import type { ConnectionRecord } from '../../src/egress/door/types.ts';
import { denialEntry } from '../../src/egress/audit.ts';
import { Denials, type DenialsInput } from '../../src/egress/denials.ts';

const record = (name: string, patch: Partial<ConnectionRecord> = {}): ConnectionRecord => ({
  task: 'build',
  name,
  port: 443,
  verdict: 'deny',
  rule: 'no rule',
  reason: 'no rule allows it',
  checked: 'address',
  address: null,
  sentBytes: 0,
  receivedBytes: 0,
  startedAt: 0,
  durationMs: 1,
  ...patch,
});

function counting(windowMs?: number) {
  const entries: AuditEntry[] = [];
  const audit = { recordSoon: (entry: AuditEntry): void => void entries.push(entry) };
  const sandbox = { id: 'sbx_1', taskId: 'build' };
  const report: DenialsInput['report'] = (denied, count) => audit.recordSoon(denialEntry(sandbox, denied, count));
  const denials = new Denials({ report, ...(windowMs === undefined ? {} : { windowMs }) });
  return { denials, entries, counts: () => entries.map(({ name, rule, count }) => [name, rule, count]) };
}

describe('the audit of denied connections', () => {
  it('has the first of a name at once, and the others of the window as one count', () => {
    const { denials, entries, counts } = counting();
    for (let each = 0; each < 1000; each += 1) denials.add(record('a.example'));
    denials.add(record('a.example', { rule: 'deny a.example' }));
    denials.add(record('b.example', { verdict: 'allow' }));
    expect(counts()).toEqual([
      ['a.example', 'no rule', 1],
      ['a.example', 'deny a.example', 1],
    ]);
    denials.close();
    expect(counts().slice(2)).toEqual([['a.example', 'no rule', 999]]);
    expect(entries[0]).toMatchObject({ type: 'egress', what: 'denied', taskId: 'build', sandbox: 'sbx_1', port: 443 });
  });

  it('has at most 20 names of a window, and counts the rest together', () => {
    const { denials, entries, counts } = counting();
    for (let each = 0; each < 5000; each += 1) denials.add(record(`${each}.example`));
    expect(entries).toHaveLength(20);
    denials.close();
    denials.close();
    expect(counts().slice(20)).toEqual([[null, 'other names', 4980]]);
  });

  it('begins a window anew when one has passed', async () => {
    const { denials, counts } = counting(20);
    denials.add(record('a.example'));
    denials.add(record('a.example'));
    await vi.waitFor(() => expect(counts()).toHaveLength(2));
    denials.add(record('a.example'));
    expect(counts()).toEqual(Array.from({ length: 3 }, () => ['a.example', 'no rule', 1]));
    denials.close();
  });
});
