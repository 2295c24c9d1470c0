/** Streams between a framework and a command, on both sides of a service. */
import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inputStream, outputStream, partsOf } from '../../src/adapters/ai/streams.ts';
import { quiet, written } from '../../src/adapters/input.ts';
import { Place } from '../../src/adapters/place.ts';
import { caissonOf } from './fake-caisson.ts';

describe('stdin', () => {
  it('waits for room, and for a sink of the client until it has taken all', async () => {
    const pipe = new PassThrough({ highWaterMark: 4 });
    let done = false;
    const writing = written(pipe, 'longer than four').then(() => (done = true));
    await setTimeout(20);
    expect(done).toBe(false);
    pipe.resume();
    await writing;
    const taken: unknown[] = [];
    const sink = {
      write: async (bytes: unknown) => void taken.push(await Promise.resolve(bytes)),
      end: () => undefined,
    };
    await written(sink, 'x');
    expect(taken).toEqual(['x']);
  });

  it('takes what a command that has ended does not read', async () => {
    const pipe = new PassThrough({ highWaterMark: 1 });
    quiet(pipe);
    const waiting = written(pipe, 'never read');
    pipe.destroy(new Error('EPIPE'));
    await waiting;
    await written(pipe, 'after the end');
    expect(pipe.destroyed).toBe(true);
  });

  it('ends the input when the stream is closed', async () => {
    const pipe = new PassThrough();
    const writer = inputStream(pipe).getWriter();
    await writer.write(new TextEncoder().encode('in'));
    await writer.close();
    expect((await pipe.toArray()).join('')).toBe('in');
  });
});

describe('output', () => {
  it('is read only when it is wanted, and given up when its reader leaves', async () => {
    const log: string[] = [];
    const parts = (async function* () {
      try {
        for (let at = 0; ; at += 1) {
          log.push(`part ${at}`);
          yield await Promise.resolve(new Uint8Array([at]));
        }
      } finally {
        log.push('left');
      }
    })();
    const reader = outputStream(parts).getReader();
    await setTimeout(5);
    expect(log).toEqual([]);
    expect((await reader.read()).value).toEqual(new Uint8Array([0]));
    await reader.cancel();
    expect(log).toEqual(['part 0', 'left']);
  });

  it('is collected up to the most that is read', async () => {
    const place = await Place.open(caissonOf({}), { taskId: 't', maxFileBytes: 10 });
    const stream = (bytes: number): ReadableStream<Uint8Array> =>
      ReadableStream.from([new Uint8Array(6), new Uint8Array(bytes - 6)]);
    expect(await place.collected(partsOf(stream(10)), 'f')).toHaveLength(10);
    await expect(place.collected(partsOf(stream(11)), 'f')).rejects.toMatchObject({
      code: 'invalid_argument',
      details: { reason: 'too-large', most: 10 },
    });
  });
});
