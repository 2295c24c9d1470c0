import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Scanner } from '../../../src/exec/lane/scanner.ts';

const nonce = 'AAAAAAAABAAAAAAAAAAAAAAA';
const form = /^:(\d{1,3})$/;

function scan(chunks: readonly Buffer[]): { out: Buffer; result: ReturnType<Scanner['feed']>; late: Buffer } {
  const out: Buffer[] = [];
  const late: Buffer[] = [];
  const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(Buffer.from(bytes)) });
  let result: ReturnType<Scanner['feed']> = { kind: 'open' };
  for (const chunk of chunks) {
    if (result.kind === 'open') result = scanner.feed(chunk);
    else late.push(chunk);
  }
  return { out: Buffer.concat(out), result, late: Buffer.concat(late) };
}

/** Bytes that are often beginnings of the mark. */
const payload = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 8 }),
      fc.nat({ max: 23 }).map((n) => Buffer.from(nonce.slice(0, n))),
    ),
    { maxLength: 12 },
  )
  .map((parts) => Buffer.concat(parts));

describe('the scanner for the end of an exec', () => {
  it('delivers exactly the bytes before the mark, however they are split', () => {
    fc.assert(
      fc.property(payload, payload, fc.array(fc.nat({ max: 200 })), (before, after, cuts) => {
        fc.pre(!before.includes(nonce) && Buffer.concat([before, Buffer.from(nonce)]).indexOf(nonce) === before.length);
        const all = Buffer.concat([before, Buffer.from(`${nonce}:42;`), after]);
        const points = [...new Set([0, ...cuts.map((cut) => cut % all.length), all.length])].toSorted((a, b) => a - b);
        const { out, result, late } = scan(points.slice(1).map((end, index) => all.subarray(points[index], end)));
        expect(out.equals(before)).toBe(true);
        expect(result.kind).toBe('end');
        if (result.kind === 'end') {
          expect(result.trailer).toBe(':42');
          expect(Buffer.concat([result.rest, late]).equals(after)).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds the mark also where every pause was taken for quiet, and then shows at most two bytes of it', () => {
    fc.assert(
      fc.property(payload, fc.array(fc.nat({ max: 200 })), (before, cuts) => {
        fc.pre(Buffer.concat([before, Buffer.from(nonce)]).indexOf(nonce) === before.length);
        const all = Buffer.concat([before, Buffer.from(`${nonce}:42;`)]);
        const points = [...new Set([0, ...cuts.map((cut) => cut % all.length), all.length])].toSorted((a, b) => a - b);
        const out: Buffer[] = [];
        const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(Buffer.from(bytes)) });
        const results = points.slice(1).map((end, index) => {
          const result = scanner.feed(all.subarray(points[index], end));
          scanner.settle();
          return result.kind;
        });
        expect(results.at(-1)).toBe('end');
        const reported = Buffer.concat(out);
        expect(reported.length).toBeLessThanOrEqual(before.length + 2);
        expect(all.subarray(0, reported.length).equals(reported) && reported.length >= before.length).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('holds nothing back that cannot be the beginning of the mark', () => {
    const out: string[] = [];
    const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(bytes.toString()) });
    scanner.feed(Buffer.from('$ '));
    expect(out.join('')).toBe('$ ');
  });

  it('takes the greeting of a lane for the death of the one before, at every split', () => {
    const text = Buffer.from('last words greetings:12;');
    for (let cut = 0; cut <= text.length; cut += 1) {
      const out: string[] = [];
      const scanner = new Scanner(nonce, form, {
        deliver: (bytes) => out.push(bytes.toString()),
        greeting: 'greetings',
      });
      const kinds = [text.subarray(0, cut), text.subarray(cut)].map((chunk) => scanner.feed(chunk).kind);
      expect(kinds).toContain('died');
      expect(out.join('').slice(0, 11)).toBe('last words ');
    }
  });

  it('gives back what it held when the mark never comes', () => {
    const out: string[] = [];
    const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(bytes.toString()) });
    scanner.feed(Buffer.from(`x${nonce.slice(0, 20)}`));
    expect(out.join('')).toBe('x');
    scanner.flush();
    expect(out.join('')).toBe(`x${nonce.slice(0, 20)}`);
  });

  it.each([
    `${nonce}garbage;`,
    `${nonce}:1234;`,
    `${nonce};`,
    `${nonce}:1;`.replace('1', '-1'),
    nonce + 'x'.repeat(5_000),
  ])('takes the mark in another form for a forgery: %#', (text) => {
    expect(scan([Buffer.from(text)]).result.kind).toBe('forged');
  });
});
