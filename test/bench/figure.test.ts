import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { figuresOf, judge, median, pairedRatios, quantile } from '../../bench/figure.ts';
import { interleave } from '../../bench/interleave.ts';
import { jsonLine } from '../../bench/print.ts';

const values = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 50 });

describe('figures', () => {
  it('have the middle value as their median', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it('have quantiles that lie among the samples and grow', () => {
    fc.assert(
      fc.property(values, (samples) => {
        const [low, middle, high] = [quantile(samples, 0.05), median(samples), quantile(samples, 0.95)];
        expect(low).toBeLessThanOrEqual(middle);
        expect(middle).toBeLessThanOrEqual(high);
        expect(high).toBeLessThanOrEqual(Math.max(...samples));
      }),
    );
  });

  it('compare round by round, so that a slow minute of the machine hits both', () => {
    const drifting = { ours: [10, 100, 1000], baseline: [20, 200, 2000] };
    expect(pairedRatios(drifting)).toEqual([0.5, 0.5, 0.5]);
    expect(figuresOf('x', drifting, { unit: 'ms', target: null })[0]).toMatchObject({
      ours: 100,
      baseline: 200,
      ratio: 0.5,
      n: 3,
    });
  });

  it('hold or miss their target, and a missing figure holds nothing', () => {
    const reported = { figure: 'x', unit: 'ms', ours: 11, baseline: 10, ratio: 1.1, n: 1 };
    expect(judge(reported, { of: 'ratio', is: '<=', value: 1.05 })).toMatchObject({
      ok: false,
      target: 'ratio <= 1.05',
    });
    expect(judge(reported, { of: 'ratio', is: '>=', value: 1 }).ok).toBe(true);
    expect(judge(reported, { of: 'ours', is: '<', value: 11 }).ok).toBe(false);
    expect(judge({ ...reported, ratio: Number.NaN }, { of: 'ratio', is: '<=', value: 1 }).ok).toBe(false);
    expect(judge(reported, null)).toMatchObject({ ok: null, target: null });
  });

  it('are printed as one JSON object with fixed keys', () => {
    const line = jsonLine(
      'exec',
      judge({ figure: 'x', unit: 'ms', ours: 1.23456, baseline: null, ratio: null, n: 4 }, null),
    );
    expect(line).toBe(
      '{"bench":"exec","figure":"x","unit":"ms","ours":1.23,"baseline":null,"ratio":null,"target":null,"ok":null,"n":4}',
    );
  });
});

describe('interleaving', () => {
  it('takes both in turn and leaves the warm-up out', async () => {
    const order: string[] = [];
    const sample = (name: string) => (round: number) => {
      order.push(`${name}${round}`);
      return Promise.resolve(round);
    };
    const samples = await interleave(sample('a'), sample('b'), { warmUp: 1, rounds: 2 });
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
    expect(samples).toEqual({ ours: [1, 2], baseline: [1, 2] });
  });
});
