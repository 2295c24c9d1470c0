import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBytes, readChoice, readCores, readCount, readDuration } from '../../src/cli/values.ts';

describe('values of options', () => {
  it.each([
    ['512m', 512 * 1024 ** 2],
    ['2g', 2 * 1024 ** 3],
    ['2G', 2 * 1024 ** 3],
    ['1.5GiB', 1.5 * 1024 ** 3],
    ['100', 100 * 1024 ** 2],
    ['64k', 64 * 1024],
    ['1tb', 1024 ** 4],
  ])('reads the size %s', (text, bytes) => {
    expect(readBytes('--memory', text)).toBe(bytes);
  });

  it.each(['0', '0m', '-1', '1e9', 'lots', '5x', '1 g', '0.0', '999999999999t', 'NaN', '٣'])(
    'refuses the size %s',
    (text) => {
      expect(() => readBytes('--memory', text)).toThrow(/^--memory .*: expected/);
    },
  );

  it.each([
    ['30s', 30_000],
    ['30', 30_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['250ms', 250],
    ['2d', 172_800_000],
    ['0', null],
    ['0s', null],
    ['none', null],
  ])('reads the time %s', (text, durationMs) => {
    expect(readDuration('--timeout', text)).toBe(durationMs);
  });

  it.each(['-1', 'soon', '1w', '0.0001ms', '5 m', '1e3', 'null'])('refuses the time %s', (text) => {
    expect(() => readDuration('--timeout', text)).toThrow(/^--timeout .*: expected/);
  });

  it('reads cores above 0 and refuses the rest', () => {
    expect([readCores('--cpu', '2'), readCores('--cpu', '0.5')]).toEqual([2, 0.5]);
    for (const text of ['0', '0.0', '-1', '1e3', 'all', 'Infinity', ''])
      expect(() => readCores('--cpu', text)).toThrow(/--cpu/);
  });

  it('reads counts, and suggests the nearest of a few words', () => {
    expect(readCount('--after', '0')).toBe(0);
    for (const text of ['-1', '1.5', 'x']) expect(() => readCount('--after', text)).toThrow(/--after/);
    expect(() => readChoice('--network', 'opne', ['open', 'none'])).toThrow(/did you mean open/);
  });

  it('never gives a size or time that is not a whole number above 0', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.kmgtbshd-+eE ') }), (text) => {
        for (const read of [readBytes, readDuration]) {
          const value = attempt(() => read('--x', text));
          expect(value === null || (Number.isSafeInteger(value) && value > 0)).toBe(true);
        }
      }),
    );
  });
});

function attempt(read: () => number | null): number | null {
  try {
    return read();
  } catch {
    // Refused, which is an answer too.
    return null;
  }
}
