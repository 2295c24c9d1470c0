import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { linesOf, messageIn, MessageWriter } from '../../src/lib/message-lines.ts';

async function all(source: Readable, max?: number): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(source, max)) lines.push(line);
  return lines;
}

describe('lines of messages', () => {
  it('are the same however they were cut, and whole characters', async () => {
    const text = '{"a":1}\n\n{"b":"ü€"}\n{"c":3}';
    const bytes = Buffer.from(text);
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(await all(Readable.from(chunks))).toEqual(text.split('\n'));
    }
  });

  it('have a bound, also one that never ends', async () => {
    await expect(all(Readable.from([Buffer.from('12345\n')]), 4)).rejects.toMatchObject({ code: 'resource_exhausted' });
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(65_536, 'x');
      })(),
    );
    await expect(all(endless)).rejects.toMatchObject({ code: 'resource_exhausted' });
  });

  it.each(['', 'x', '7', 'null', '[{"a":1}]', '{"a":1'])('%j holds no message', (line) =>
    expect(messageIn(line)).toBeNull(),
  );
});

describe('a writer of messages', () => {
  it('waits for a slow reader, and keeps the order', async () => {
    const target = new PassThrough({ highWaterMark: 16 });
    const writer = new MessageWriter(target);
    let written = 0;
    const writing = (async () => {
      for (let count = 0; count < 100; count += 1) {
        await writer.write({ count });
        written = count + 1;
      }
      target.end();
    })();
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(100);
    expect(await all(target)).toEqual(Array.from({ length: 100 }, (_, count) => `{"count":${count}}`));
    await writing;
  });

  it('takes everything where the reader has gone', async () => {
    const target = new PassThrough({ highWaterMark: 1 });
    const writer = new MessageWriter(target);
    const blocked = writer.write({ a: 1 });
    target.destroy(new Error('gone'));
    await blocked;
    await writer.write({ b: 2 });
  });
});
