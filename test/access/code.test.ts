/** Codes: which letters they have, how evenly, and what is kept of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alphabet, codeFrom, newCode, opens, sealed } from '../../src/access/code.ts';

const code = fc.uint8Array({ minLength: 8, maxLength: 8 }).map(codeFrom);

describe('a code', () => {
  it('has letters of 32, none of which is taken for another', () => {
    expect(new Set(alphabet).size).toBe(32);
    expect(alphabet).toMatch(/^[A-Z0-9]+$/);
    expect(alphabet).not.toMatch(/[01IO]/);
    for (let count = 0; count < 1000; count += 1) expect(newCode()).toMatch(/^[A-HJ-NP-Z2-9]{8}$/);
  });

  it('takes each letter for exactly as many bytes as any other', () => {
    const all = codeFrom(Uint8Array.from({ length: 256 }, (_, byte) => byte));
    for (const letter of alphabet) expect(all.split(letter).length - 1).toBe(8);
  });

  it('is as likely to have one letter as another, at every place', () => {
    const codes = Array.from({ length: 16_000 }, newCode);
    // Binomial, 500 expected, standard deviation 22: six of them are passed once in two million runs of one letter.
    for (let place = 0; place < 8; place += 1)
      for (const letter of alphabet) {
        const count = codes.filter((each) => each[place] === letter).length;
        expect(Math.abs(count - 500)).toBeLessThan(6 * 22);
      }
  });
});

describe('what is kept of a code', () => {
  it('opens by it, however it is typed, and by no other', () => {
    fc.assert(
      fc.property(code, code, (right, wrong) => {
        const kept = sealed(right);
        expect(opens(right, kept)).toBe(true);
        expect(opens(`  ${right.toLowerCase()}\n`, kept)).toBe(true);
        expect(opens(wrong, kept)).toBe(right === wrong);
        for (const odd of ['', right.slice(1), `${right}A`, `${right.slice(0, 4)} ${right.slice(4)}`])
          expect(opens(odd, kept)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it('does not hold it, and differs each time', () => {
    const [one, other] = [sealed('ABCDEFGH'), sealed('ABCDEFGH')];
    expect(JSON.stringify(one)).not.toContain('ABCDEFGH');
    expect(one.salt).toMatch(/^[0-9a-f]{32}$/);
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
    expect([one.salt, one.hash]).not.toEqual([other.salt, other.hash]);
  });
});
