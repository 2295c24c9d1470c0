import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Scanner } from '../../../src/exec/lane/scanner.ts';

const nonce = 'AAAAAAAABAAAAAAAAAAAAAAA';
const form = /^:(\d{1,3})$/;

interface ScannedOutput {
  readonly out: Buffer;
  readonly trailer: string | null;
  readonly late: Buffer;
}

function scan(chunks: readonly Buffer[]): ScannedOutput {
  const out: Buffer[] = [];
  const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(Buffer.from(bytes)) });
  for (const chunk of chunks) scanner.feed(chunk);
  const { trailer = null, late = Buffer.alloc(0) } = scanner.end ?? {};
  return { out: Buffer.concat(out), trailer, late };
}

function cut(all: Buffer, cuts: readonly number[]): Buffer[] {
  const points = [...new Set([0, ...cuts.map((each) => each % all.length), all.length])].toSorted((a, b) => a - b);
  return points.slice(1).map((end, index) => all.subarray(points[index], end));
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
        fc.pre(!after.includes(nonce));
        const { out, trailer, late } = scan(cut(Buffer.concat([before, Buffer.from(`${nonce}:42;`), after]), cuts));
        expect(out.equals(before)).toBe(true);
        expect([trailer, late.equals(after)]).toEqual([':42', true]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('delivers all before the last mark, also earlier marks and nonces in other forms, however they are split', () => {
    const piece = fc.oneof(
      payload,
      fc.constantFrom(`${nonce}:7;`, `${nonce}?`, `${nonce};`, nonce).map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat({ max: 300 })), (pieces, cuts) => {
        const before = Buffer.concat([...pieces, Buffer.from('\n')]);
        const { out, trailer, late } = scan(cut(Buffer.concat([before, Buffer.from(`${nonce}:42;`)]), cuts));
        expect([out.equals(before), trailer, late.length]).toEqual([true, ':42', 0]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds the mark also where every pause was taken for quiet, and then shows at most two bytes of it', () => {
    fc.assert(
      fc.property(payload, fc.array(fc.nat({ max: 200 })), (before, cuts) => {
        fc.pre(Buffer.concat([before, Buffer.from(nonce)]).indexOf(nonce) === before.length);
        const all = Buffer.concat([before, Buffer.from(`${nonce}:42;`)]);
        const out: Buffer[] = [];
        const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(Buffer.from(bytes)) });
        for (const chunk of cut(all, cuts)) {
          scanner.feed(chunk);
          scanner.settle();
        }
        expect(scanner.end?.trailer).toBe(':42');
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

  it('takes the notice of the first process for the death of a lane, at every split', () => {
    const text = Buffer.from('last words the-notice and more');
    for (let at = 0; at <= text.length; at += 1) {
      const out: string[] = [];
      const scanner = new Scanner(nonce, form, {
        deliver: (bytes) => out.push(bytes.toString()),
        notice: 'the-notice',
      });
      const kinds = [text.subarray(0, at), text.subarray(at)].map((chunk) => scanner.feed(chunk).kind);
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
    `${nonce}\n`,
  ])('takes the mark in another form for data, and delivers it: %#', (text) => {
    expect(scan([Buffer.from(text), Buffer.from('\n')]).out.toString()).toBe(`${text}\n`);
    expect(scan([Buffer.from(`${text}${nonce}:3;`)])).toMatchObject({ trailer: ':3', out: Buffer.from(text) });
  });

  it('delivers the end that was data, and what came behind it', () => {
    const out: string[] = [];
    const scanner = new Scanner(nonce, form, { deliver: (bytes) => out.push(bytes.toString()) });
    scanner.feed(Buffer.from(`a${nonce}:1;b${nonce.slice(0, 5)}`));
    expect(out.join('')).toBe('a');
    scanner.dropEnd();
    expect([out.join(''), scanner.end]).toEqual([`a${nonce}:1;b`, null]);
    scanner.feed(Buffer.from(`${nonce.slice(5)}:2;`));
    expect(scanner.end?.trailer).toBe(':2');
  });

  it('reports the end of a command that never began', () => {
    const scanner = new Scanner(nonce, form, { deliver: () => undefined, opening: /^\+$/ });
    expect(scanner.feed(Buffer.from(`${nonce}-;${nonce}:137;`)).kind).toBe('unbegun');
  });
});
