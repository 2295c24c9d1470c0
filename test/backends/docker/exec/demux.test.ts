import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Demultiplexer, maxFrameBytes } from '../../../../backends/docker/exec/demux.ts';
import { cut, encode, header, joined, type Frame } from '../frames.ts';

interface DemuxedOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly pushes: number;
}

function take(chunks: readonly Buffer[]): DemuxedOutput {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const demultiplexer = new Demultiplexer((stream, bytes) => parts[stream].push(bytes));
  for (const chunk of chunks) demultiplexer.write(chunk);
  demultiplexer.end();
  return {
    stdout: Buffer.concat(parts.stdout),
    stderr: Buffer.concat(parts.stderr),
    pushes: parts.stdout.length + parts.stderr.length,
  };
}

const payload = fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.uint8Array({ minLength: 1900, maxLength: 5000 }));
const frames: fc.Arbitrary<Frame[]> = fc.array(fc.record({ type: fc.constantFrom(0, 1, 2), payload }), {
  maxLength: 30,
});

describe('the demultiplexer', () => {
  test('gives every stream its bytes in their order, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 60 }), (sent, places) => {
        const { stdout, stderr } = take(cut(encode(sent), places));
        expect(stdout.equals(joined(sent, 'stdout'))).toBe(true);
        expect(stderr.equals(joined(sent, 'stderr'))).toBe(true);
      }),
    );
  });

  test('takes a header that comes byte by byte (OH-04)', () => {
    const bytes = encode([{ type: 2, payload: Buffer.from('late') }]);
    expect(take([...bytes].map((byte) => Buffer.from([byte]))).stderr.toString()).toBe('late');
  });

  test('skips frames without content', () => {
    const sent: Frame[] = [
      { type: 1, payload: Buffer.alloc(0) },
      { type: 1, payload: Buffer.from('x') },
      { type: 2, payload: Buffer.alloc(0) },
    ];
    expect(take([encode(sent)])).toMatchObject({ stdout: Buffer.from('x'), stderr: Buffer.alloc(0), pushes: 1 });
  });

  test('takes a million frames of one byte in one chunk, in linear time and without a push each (OH-01)', () => {
    const million = Buffer.concat(
      Array.from({ length: 1000 }, () =>
        encode(
          Array.from(
            { length: 1000 },
            (_, index) => ({ type: index % 2 === 0 ? 1 : 2, payload: Buffer.from('y') }) as const,
          ),
        ),
      ),
    );
    const started = performance.now();
    const { stdout, stderr, pushes } = take([million]);
    expect([stdout.length, stderr.length, pushes]).toEqual([500_000, 500_000, 2]);
    expect(performance.now() - started).toBeLessThan(5000);
  });

  test('passes long payloads on without copying them', () => {
    const chunk = encode([{ type: 1, payload: Buffer.alloc(30_000, 'a') }]);
    const seen: Buffer[] = [];
    new Demultiplexer((_stream, bytes) => seen.push(bytes)).write(chunk);
    expect(seen.map((bytes) => bytes.buffer === chunk.buffer)).toEqual([true]);
  });

  test.each([
    ['a stream type of 9', header(9, 4)],
    ['a length of four gigabytes', header(1, 0xffffffff)],
    ['a length just over the bound', header(1, maxFrameBytes + 1)],
    ['padding that is not zero', Buffer.from([1, 0, 1, 0, 0, 0, 0, 1])],
    ['plain text', Buffer.from('this is no frame at all')],
  ])('refuses %s as an answer that breaks the protocol (OH-04)', (_what, bytes) => {
    expect(() => take([bytes])).toThrow(expect.objectContaining({ code: 'internal' }));
  });

  test.each([
    ['a header', header(1, 4).subarray(0, 5)],
    ['a payload', Buffer.concat([header(1, 4), Buffer.from('abc')])],
  ])('tells an end in the middle of %s (OH-04)', (_what, bytes) => {
    expect(() => take([bytes])).toThrow(expect.objectContaining({ code: 'unavailable' }));
  });
});
