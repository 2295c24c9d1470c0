import { once } from 'node:events';
import { Duplex, PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Channel, type ChannelOptions } from '../../../../backends/docker/exec/channel.ts';
import { encode, header, type Frame } from '../frames.ts';

const mebibyte = 1024 * 1024;

interface Rig {
  readonly channel: Channel;
  /** What the engine sends. */
  readonly engine: PassThrough;
  /** What the engine receives. */
  readonly received: PassThrough;
}

function rig(options: Partial<ChannelOptions> = {}, head: Buffer = Buffer.alloc(0)): Rig {
  const engine = new PassThrough({ highWaterMark: 64 * 1024 });
  const received = new PassThrough();
  const connection = Duplex.from({ readable: engine, writable: received });
  return {
    channel: new Channel({ input: connection, output: connection, head }, { tty: false, stdin: false, ...options }),
    engine,
    received,
  };
}

const frame = (type: Frame['type'], text: string): Buffer => encode([{ type, payload: Buffer.from(text) }]);

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk.toString('latin1');
  return text;
}

/** Writes until no more is taken for a while. Tells how much was taken. */
async function flood(engine: PassThrough, type: Frame['type']): Promise<number> {
  const block = encode([{ type, payload: Buffer.alloc(32 * 1024) }]);
  for (let sent = 0; ; sent += block.length) {
    if (engine.write(block)) continue;
    const drained = await Promise.race([once(engine, 'drain').then(() => true), sleep(200).then(() => false)]);
    if (!drained) return sent;
  }
}

describe('a channel', () => {
  test('gives what came together with the head of the answer first', async () => {
    const { channel, engine } = rig({}, frame(1, 'early '));
    engine.end(frame(1, 'late'));
    expect(await textOf(channel.stdout)).toBe('early late');
  });

  test('has no frames on a terminal', async () => {
    const { channel, engine } = rig({ tty: true });
    engine.end('\x01raw');
    expect([await textOf(channel.stdout), await textOf(channel.stderr)]).toEqual(['\x01raw', '']);
  });

  test('stops the engine without a reader, and goes on when somebody does (OH-03)', async () => {
    const { channel, engine } = rig();
    expect(await flood(engine, 1)).toBeLessThan(mebibyte);
    expect(channel.held).toBe(true);
    channel.stdout.resume();
    channel.stderr.resume();
    expect(await Promise.race([once(engine, 'drain').then(() => 'goes on'), sleep(2000)])).toBe('goes on');
    channel.release();
  });

  test('stops the engine when one of two streams is full', async () => {
    const { channel, engine } = rig();
    channel.stderr.resume();
    expect(await flood(engine, 1)).toBeLessThan(mebibyte);
    channel.release();
  });

  test('is not stopped by a stream that was given up', async () => {
    const { channel, engine } = rig();
    channel.stdout.destroy();
    engine.write(encode(Array.from({ length: 100 }, () => ({ type: 1, payload: Buffer.alloc(32 * 1024) }) as const)));
    engine.end(frame(2, 'still here'));
    expect(await textOf(channel.stderr)).toBe('still here');
  });

  test('reads in a bounded rest of a process that is over', async () => {
    const { channel, engine } = rig();
    const before = await flood(engine, 1);
    channel.slacken();
    const more = await flood(engine, 1);
    expect(more).toBeGreaterThan(0);
    expect(before + more).toBeLessThan(3 * mebibyte);
    channel.release();
  });

  test('fails both streams when the engine breaks its protocol, and lets the connection go', async () => {
    let ended = 0;
    const { channel, engine } = rig({ onEnd: () => (ended += 1) });
    engine.write(header(7, 1));
    await expect(textOf(channel.stdout)).rejects.toMatchObject({ code: 'internal' });
    await expect(textOf(channel.stderr)).rejects.toMatchObject({ code: 'internal' });
    expect(ended).toBe(1);
  });

  test('fails the streams when the connection ends in the middle of a frame', async () => {
    const { channel, engine } = rig();
    engine.end(Buffer.concat([frame(1, 'whole'), header(1, 10), Buffer.from('half')]));
    await expect(textOf(channel.stdout)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('fails the streams when the connection breaks', async () => {
    const { channel, engine } = rig();
    engine.destroy(new Error('reset by peer'));
    await expect(textOf(channel.stdout)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('holds the first chunk, and what follows it, until it has been looked at, and may drop it', async () => {
    const looked = Promise.withResolvers<'drop'>();
    const { channel, engine } = rig({ onFirst: () => looked.promise });
    engine.write(frame(1, 'dropped'));
    await sleep(20);
    engine.end(frame(1, 'stays'));
    await sleep(20);
    looked.resolve('drop');
    expect([await textOf(channel.stdout), await textOf(channel.stderr)]).toEqual(['stays', '']);
  });

  test('passes stdin on and half-closes at its end', async () => {
    const { channel, received } = rig({ stdin: true });
    channel.stdin?.end('input');
    expect(await textOf(received)).toBe('input');
    expect(channel.stdinOpen).toBe(false);
  });

  test('goes on taking and forgetting after discard', async () => {
    const { channel, engine } = rig();
    channel.discard();
    engine.write(encode(Array.from({ length: 200 }, () => ({ type: 1, payload: Buffer.alloc(32 * 1024) }) as const)));
    engine.end();
    expect(await Promise.race([once(engine, 'end').then(() => 'taken'), sleep(2000)])).toBe('taken');
  });
});
