import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { KeptStream } from '../../src/exec/types.ts';
import { HeadTailWindow } from '../../src/exec/window.ts';

const markFor = (bytes: number): string => `\n[... ${bytes} bytes are left out here ...]\n`;

function windowOf(bytes: Uint8Array, keepBytes: number, cuts: readonly number[]): KeptStream {
  const window = new HeadTailWindow(keepBytes);
  let at = 0;
  for (const cut of cuts) {
    const end = Math.min(bytes.length, at + cut);
    window.write(bytes.subarray(at, end));
    at = end;
  }
  window.write(bytes.subarray(at));
  return window.read();
}

/** Keeps a stream by the platform's own decoder: an index is an edge when no whole character reaches across it. */
function reference(bytes: Uint8Array, keepBytes: number): Pick<KeptStream, 'text' | 'omittedBytes' | 'truncated'> {
  const decode = (part: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
  if (bytes.length <= keepBytes) return { text: decode(bytes), omittedBytes: 0, truncated: false };
  const isCharacter = (start: number, end: number): boolean => {
    try {
      return (
        [...new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(start, end))].length === 1
      );
    } catch {
      return false;
    }
  };
  const across = (at: number): [number, number] => {
    for (const back of [1, 2, 3]) {
      for (const forward of [1, 2, 3]) {
        const [start, end] = [at - back, at + forward];
        if (start >= 0 && end <= bytes.length && isCharacter(start, end)) return [start, end];
      }
    }
    return [at, at];
  };
  const headBytes = Math.floor(keepBytes * 0.4);
  const [headEnd] = across(headBytes);
  const [, tailStart] = across(bytes.length - (keepBytes - headBytes));
  return {
    text: decode(bytes.subarray(0, headEnd)) + markFor(tailStart - headEnd) + decode(bytes.subarray(tailStart)),
    omittedBytes: tailStart - headEnd,
    truncated: true,
  };
}

/** Text of all widths, broken text, and bytes of any kind. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'é', '€', '😀', '\uFEFF', '\0').map((text) => Buffer.from(text)),
      fc
        .constantFrom(
          [0xf0, 0x9f],
          [0xe2, 0x82],
          [0xc3],
          [0x80],
          [0xed, 0xa0, 0x80],
          [0xc0, 0xaf],
          [0xf4, 0x90, 0x80, 0x80],
        )
        .map((bytes) => Buffer.from(bytes)),
      fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts));

describe('the window over a stream', () => {
  it('keeps the same head and tail however the stream is chunked (OH-08)', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.nat(80),
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }),
        (bytes, keepBytes, cuts) => {
          expect(windowOf(bytes, keepBytes, cuts)).toMatchObject({
            ...reference(bytes, keepBytes),
            bytes: bytes.length,
          });
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('invents no U+FFFD in valid text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 100 }),
        fc.nat(60),
        fc.array(fc.integer({ min: 1, max: 9 })),
        (text, keepBytes, cuts) => {
          const bytes = Buffer.from(text.replaceAll('\uFFFD', ''));
          expect(windowOf(bytes, keepBytes, cuts).text).not.toContain('\uFFFD');
        },
      ),
    );
  });

  it('tells where the cut is, and that what it keeps and what it omits is everything', () => {
    const kept = windowOf(Buffer.from('😀'.repeat(100)), 50, []);
    const [head, tail] = ['😀'.repeat(5), '😀'.repeat(7)];
    expect(kept).toEqual({
      text: `${head}\n[... 352 bytes are left out here ...]\n${tail}`,
      cutAt: 10,
      cutTo: 49,
      bytes: 400,
      omittedBytes: 400 - 48,
      truncated: true,
    });
    expect([kept.text.slice(0, kept.cutAt ?? 0), kept.text.slice(kept.cutTo ?? 0)]).toEqual([head, tail]);
  });

  it('loses nothing when its memory grows', () => {
    const bytes = Uint8Array.from({ length: 200_000 }, (_, at) => 97 + ((at * 31) % 26));
    const keepBytes = 100_000;
    for (const size of [1, 7, 1000, 1024, 1025, 30_000]) {
      const cuts = Array.from({ length: Math.ceil(bytes.length / size) }, () => size);
      expect(windowOf(bytes, keepBytes, cuts)).toMatchObject(reference(bytes, keepBytes));
    }
  });

  it('takes memory as it fills: twice as much each time, and never more than it keeps', () => {
    const alloc = vi.spyOn(Buffer, 'alloc');
    const window = new HeadTailWindow(10_000);
    const taken = (): readonly number[] => alloc.mock.calls.map(([bytes]) => bytes);
    try {
      for (let at = 0; at < 1024; at += 1) window.write(Uint8Array.of(97));
      expect(taken()).toEqual([0, 0, 1024, 1024]);
      window.write(Uint8Array.of(97));
      expect(taken().slice(4)).toEqual([2048, 2048]);
      window.write(new Uint8Array(2000));
      expect(taken().slice(6)).toEqual([4003, 4096]);
      for (let at = 0; at < 20; at += 1) window.write(new Uint8Array(1000));
      expect(taken().slice(8)).toEqual([6003]);
    } finally {
      alloc.mockRestore();
    }
  });

  it('tells no cut when all is kept', () =>
    expect(windowOf(Buffer.from('all'), 3, [1, 1])).toEqual({
      text: 'all',
      bytes: 3,
      truncated: false,
      omittedBytes: 0,
      cutAt: null,
      cutTo: null,
    }));
});
