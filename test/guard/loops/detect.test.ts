import { describe, expect, it } from 'vitest';
import { after, counts, type History, type Outcome, reached } from '../../../src/guard/loops/detect.ts';

const outcome = (patch: Partial<Outcome> = {}): Outcome => ({
  tool: 'terminal',
  signature: 'a',
  failed: true,
  reads: false,
  result: 'r',
  at: 0,
  ...patch,
});
const history = (...patches: Partial<Outcome>[]): History =>
  patches.reduce<History>((all, patch) => after(all, outcome(patch), 1e9), []);
const next = { tool: 'terminal', signature: 'a' };
const look = { failed: false, reads: true } as const;

describe('circles', () => {
  it('are the same call that fails, whatever comes between', () => {
    expect(counts(history({}, { signature: 'b' }, look, {}), next).exact_failure).toBe(2);
    expect(counts(history({}, {}), { ...next, signature: 'b' }).exact_failure).toBe(0);
  });

  it('are calls of one tool that fail, whatever their arguments', () => {
    const found = counts(
      history({}, { signature: 'b' }, { signature: 'c' }, { tool: 'execute_code', signature: 'd' }),
      next,
    );
    expect(found).toEqual({ exact_failure: 1, same_tool_failure: 3, idempotent_no_progress: 0 });
  });

  it('are the same look with the same result', () => {
    expect(counts(history(look, look, look), next).idempotent_no_progress).toBe(3);
    expect(counts(history(look, { ...look, result: 's' }, look), next).idempotent_no_progress).toBe(1);
    expect(counts(history(look, {}, look), next).idempotent_no_progress).toBe(1);
    expect(counts(history({}, {}), next).idempotent_no_progress).toBe(0);
  });

  it('end with a call that works and may have changed something, and with time', () => {
    expect(history({}, look, {}, { failed: false })).toEqual([]);
    expect(after(history({ at: 0 }, { at: 900 }), outcome({ at: 1500 }), 1000).map(({ at }) => at)).toEqual([
      900, 1500,
    ]);
  });

  it('are reported by the first detector that has come to its limit', () => {
    const limits = { exact_failure: 2, same_tool_failure: 3, idempotent_no_progress: 2 };
    expect(reached(counts(history({}), next), limits)).toBeNull();
    expect(reached(counts(history({}, {}), next), limits)).toBe('exact_failure');
    expect(reached(counts(history({ signature: 'b' }, { signature: 'c' }, {}), next), limits)).toBe(
      'same_tool_failure',
    );
    expect(reached(counts(history(look, look), next), limits)).toBe('idempotent_no_progress');
  });
});
