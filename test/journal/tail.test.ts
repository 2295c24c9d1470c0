import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StreamName } from '../../src/values/exec-event.ts';
import { newExecId } from '../exec/requests.ts';
import { exitAfter } from './exits.ts';
import { type Chunk, eventsOf, newDirectory, openAt, started, streamOf, totals, writeAll } from './journals.ts';

const streams = ['stdout', 'stderr'] as const;
const chunk = fc.record({
  stream: fc.constantFrom<StreamName>(...streams),
  bytes: fc
    .tuple(fc.nat(127), fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300_000 })))
    .map(([byte, length]) => new Uint8Array(length).fill(byte)),
});
const wholeOf = (chunks: readonly Chunk[], stream: StreamName): Buffer =>
  Buffer.concat(chunks.filter((each) => each.stream === stream).map(({ bytes }) => bytes));

it('a tail has the last bytes of each stream, however they were chunked, and a gap for what is before them', async () => {
  const journal = await openAt(newDirectory());
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 12 }), fc.nat(100_000), async (chunks, tailBytes) => {
      const id = newExecId();
      const recorder = journal.record(id, started);
      await writeAll(recorder, chunks);
      await recorder.end(exitAfter(totals(chunks)));
      const events = await eventsOf(journal, id, { tailBytes });
      const seqs = events.map(({ seq }) => seq);
      expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
      expect([events[0]?.event.type, events.at(-1)?.event.type]).toEqual(['started', 'exit']);
      for (const stream of streams) {
        const whole = wholeOf(chunks, stream);
        const read = streamOf(events, stream);
        const last = Math.min(whole.length, tailBytes);
        expect(read.length).toBe(whole.length);
        expect(read.subarray(whole.length - last).equals(whole.subarray(whole.length - last))).toBe(true);
        const gaps = events.filter(({ event }) => event.type === 'gap' && event.stream === stream);
        expect(gaps.length).toBeLessThanOrEqual(1);
        // A gap stands for all before the tail, and where no piece is wholly before it, that piece comes whole.
        if (gaps.length === 1) expect(read.lastIndexOf(0xb7)).toBe(whole.length - last - 1);
      }
    }),
    { numRuns: 60 },
  );
  await journal.close();
});

it('a tail ends at the last bytes that are kept, and what is not kept is a gap behind them', async () => {
  const journal = await openAt(newDirectory(), { spillBytes: 100_000 });
  const id = newExecId();
  const recorder = journal.record(id, started);
  const whole = Buffer.from(Array.from({ length: 1_000_000 }, (_each, i) => i & 0x7f));
  for (let at = 0; at < whole.length; at += 50_000) await recorder.write('stdout', whole.subarray(at, at + 50_000));
  await recorder.end(exitAfter({ stdout: whole.length, stderr: 0 }));
  const kept = 250_000 + 100_000;
  const events = await eventsOf(journal, id, { tailBytes: 1000 });
  expect(events.flatMap(({ event }) => (event.type === 'gap' ? [event.bytes] : []))).toEqual([
    kept - 1000,
    whole.length - kept,
  ]);
  expect(
    streamOf(events, 'stdout')
      .subarray(kept - 1000, kept)
      .equals(whole.subarray(kept - 1000, kept)),
  ).toBe(true);
  await journal.close();
});

it('a reader that follows a tail gets all that comes after it', async () => {
  const journal = await openAt(newDirectory());
  const id = newExecId();
  const recorder = journal.record(id, started);
  await writeAll(recorder, [
    { stream: 'stdout', bytes: Buffer.from('first') },
    { stream: 'stdout', bytes: Buffer.from('second') },
  ]);
  const events = journal.read(id, { tailBytes: 3, follow: true });
  const next = async () => (await events.next()).value?.event;
  expect([(await next())?.type, await next()]).toEqual(['started', { type: 'gap', stream: 'stdout', bytes: 8 }]);
  expect(await next()).toEqual({ type: 'stdout', bytes: Buffer.from('ond') });
  await recorder.write('stdout', Buffer.from('third'));
  expect(await next()).toEqual({ type: 'stdout', bytes: Buffer.from('third') });
  const exit = exitAfter({ stdout: 16, stderr: 0 });
  await recorder.end(exit);
  expect(await next()).toEqual({ type: 'exit', exit });
  await journal.close();
});
