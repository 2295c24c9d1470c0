import fc from 'fast-check';
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { StreamName } from '../../src/values/exec-event.ts';
import { newExecId, where } from '../exec/requests.ts';
import { exitAfter } from './exits.ts';
import { eventsOf, newDirectory, openAt, started, streamOf, totals, writeAll } from './journals.ts';

const chunk = fc.record({
  stream: fc.constantFrom<StreamName>('stdout', 'stderr'),
  bytes: fc.uint8Array({ maxLength: 200 }),
});
const large = fc.record({
  stream: fc.constantFrom<StreamName>('stdout', 'stderr'),
  bytes: fc
    .tuple(fc.nat(255), fc.integer({ min: 1, max: 300_000 }))
    .map(([byte, length]) => new Uint8Array(length).fill(byte)),
});

describe('what was recorded', () => {
  it('is read back as it was, however it was chunked, also by another process', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const other = await openAt(directory, { holder: 'other' });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 9, arbitrary: chunk }, { weight: 1, arbitrary: large }), { maxLength: 12 }),
        async (chunks) => {
          const id = newExecId();
          const recorder = journal.record(id, started);
          await writeAll(recorder, chunks);
          const exit = exitAfter(totals(chunks));
          await recorder.end(exit);
          for (const reader of [journal, other]) {
            const events = await eventsOf(reader, id);
            expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
            expect(events[0]?.event).toEqual({ type: 'started', tty: false, ...started });
            expect(events.at(-1)?.event).toEqual({ type: 'exit', exit });
            for (const stream of ['stdout', 'stderr'] as const) {
              const wanted = Buffer.concat(chunks.filter((each) => each.stream === stream).map(({ bytes }) => bytes));
              expect(streamOf(events, stream).equals(wanted)).toBe(true);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
    await Promise.all([journal.close(), other.close()]);
  });

  it('goes on from any seq with the same events', async () => {
    const journal = await openAt(newDirectory(), { spillBytes: 400_000 });
    const id = newExecId();
    const recorder = journal.record(id, started);
    const chunks = Array.from({ length: 12 }, (_each, i) => ({
      stream: i % 3 === 0 ? ('stderr' as const) : ('stdout' as const),
      bytes: new Uint8Array(90_000).fill(i),
    }));
    await writeAll(recorder, chunks);
    await recorder.end(exitAfter(totals(chunks)));
    const all = await eventsOf(journal, id);
    expect(all.filter(({ event }) => event.type === 'gap')).toHaveLength(2);
    for (let after = 0; after <= all.length; after++) {
      expect(isDeepStrictEqual(await eventsOf(journal, id, { after }), all.slice(after))).toBe(true);
    }
    await journal.close();
  });

  it('is private to its owner', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const recorder = journal.record(newExecId(), started);
    await recorder.write('stdout', Buffer.alloc(300_000));
    await recorder.end(exitAfter({ stdout: 300_000, stderr: 0 }));
    const mode = (path: string): number => statSync(path).mode & 0o777;
    expect(mode(directory)).toBe(0o700);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
    expect(files.filter((path) => !statSync(path).isDirectory()).map(mode)).toEqual([0o600, 0o600]);
    await journal.close();
  });

  it('holds what does not fit a spill as a counted gap', async () => {
    const journal = await openAt(newDirectory(), { spillBytes: 100_000 });
    const id = newExecId();
    const recorder = journal.record(id, started);
    const whole = Buffer.from(Array.from({ length: 1_000_000 }, (_each, i) => i & 0x7f));
    for (let at = 0; at < whole.length; at += 50_000) await recorder.write('stdout', whole.subarray(at, at + 50_000));
    await recorder.end(exitAfter({ stdout: whole.length, stderr: 0 }));
    const read = streamOf(await eventsOf(journal, id), 'stdout');
    const kept = 250_000 + 100_000;
    expect(read.length).toBe(whole.length);
    expect(read.subarray(0, kept).equals(whole.subarray(0, kept))).toBe(true);
    expect(read.subarray(kept).every((byte) => byte === 0xb7)).toBe(true);
    await journal.close();
  });

  it('survives a change of segments in the middle of an exec', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const id = newExecId();
    const recorder = journal.record(id, started);
    await recorder.write('stdout', Buffer.from('before'));
    const block = Buffer.alloc(200_000, 'x');
    for (let i = 0; i < 200; i++) {
      const filler = journal.record(newExecId(), started);
      await filler.write('stdout', block);
      await filler.end(exitAfter({ stdout: block.length, stderr: 0 }));
    }
    await recorder.write('stdout', Buffer.from(' after'));
    await recorder.end(exitAfter({ stdout: 12, stderr: 0 }));
    expect(readdirSync(directory).filter((name) => name.endsWith('.seg'))).toHaveLength(2);
    const other = await openAt(directory);
    for (const reader of [journal, other])
      expect(streamOf(await eventsOf(reader, id), 'stdout').toString()).toBe('before after');
    expect(await journal.execs({ limit: 1000 })).toHaveLength(201);
    await Promise.all([journal.close(), other.close()]);
  });
});

describe('an exec id', () => {
  it('without a record is not found', async () => {
    const journal = await openAt(newDirectory());
    await expect(eventsOf(journal, newExecId())).rejects.toMatchObject({ code: 'not_found' });
    expect(() => journal.record('exec_../x', started)).toThrow(expect.objectContaining({ code: 'invalid_argument' }));
    await journal.close();
  });
});

describe('a reader that follows', () => {
  it.each(['the same process', 'another process'])('from %s sees every byte once, and the end', async (from) => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const reader = from === 'another process' ? await openAt(directory, { holder: 'reader' }) : journal;
    const id = newExecId();
    const recorder = journal.record(id, started);
    const following = eventsOf(reader, id, { follow: true });
    let written = 0;
    for (let i = 0; i < 100; i++) {
      const bytes = Buffer.alloc(i * 150, i);
      await recorder.write(i % 2 === 0 ? 'stdout' : 'stderr', bytes);
      written += bytes.length;
      if (i % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await recorder.end(exitAfter({ stdout: 0, stderr: 0 }));
    const events = await following;
    expect(streamOf(events, 'stdout').length + streamOf(events, 'stderr').length).toBe(written);
    expect(events.every(({ event }) => event.type !== 'gap')).toBe(true);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    expect(events.at(-1)?.event.type).toBe('exit');
    await Promise.all([journal.close(), reader.close()]);
  });

  it('stops waiting when the signal fires', async () => {
    const journal = await openAt(newDirectory());
    const id = newExecId();
    journal.record(id, started);
    await expect(eventsOf(journal, id, { follow: true, signal: AbortSignal.timeout(60) })).rejects.toMatchObject({
      code: 'timed_out',
    });
    expect(await eventsOf(journal, id)).toHaveLength(1);
    await journal.close();
  });
});

describe('the list of execs', () => {
  it('tells the newest first, what runs, and only what was asked for', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const other = await openAt(directory, { holder: 'other' });
    const elsewhere = { ...where, taskId: 'task-2', sandboxId: 'sbx_2' };
    const ids = [newExecId(), newExecId(), newExecId()];
    const [a = '', b = '', c = ''] = ids;
    await journal.record(a, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    journal.record(b, { ...started, where: elsewhere });
    await new Promise((resolve) => setTimeout(resolve, 5));
    other.record(c, started);
    for (const reader of [journal, other]) {
      expect((await reader.execs({ limit: 10 })).map(({ execId }) => execId)).toEqual([c, b, a]);
      expect((await reader.execs({ limit: 1, task: where.taskId })).map(({ execId }) => execId)).toEqual([c]);
      const [second] = await reader.execs({ limit: 10, task: 'sbx_2' });
      expect(second).toMatchObject({ execId: b, command: started.command, where: elsewhere, exit: null });
    }
    expect((await other.execs({ limit: 10 })).at(-1)?.exit).toMatchObject({ exitCode: 3, notes: ['a note'] });
    await Promise.all([journal.close(), other.close()]);
  });

  it('calls lost what its journal was closed on', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const id = newExecId();
    await journal.record(id, started).write('stdout', Buffer.from('12'));
    await journal.close();
    const other = await openAt(directory);
    expect((await eventsOf(other, id)).at(-1)?.event).toMatchObject({
      type: 'exit',
      exit: { reason: 'lost', stdout: { bytes: 2 } },
    });
    await other.close();
  });
});

describe('many execs', () => {
  it('are all on record, though memory holds the latest only', { timeout: 120_000 }, async () => {
    const directory = newDirectory();
    const [journal, other] = [await openAt(directory), await openAt(directory, { holder: 'other' })];
    const running = journal.record(newExecId(), started);
    const ids = Array.from({ length: 12_000 }, () => newExecId());
    for (const id of ids) await journal.record(id, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    await running.end(exitAfter({ stdout: 0, stderr: 0 }));
    for (const reader of [journal, other]) {
      expect(await reader.execs({ limit: Infinity })).toHaveLength(12_001);
      expect((await reader.execs({ limit: 3 })).map(({ execId }) => execId)).toEqual(ids.slice(-3).reverse());
      expect((await eventsOf(reader, ids[0] ?? '')).map(({ event }) => event.type)).toEqual(['started', 'exit']);
      expect(await reader.has(ids[1] ?? '')).toBe(true);
      expect(await reader.has(newExecId())).toBe(false);
    }
    const logs = await Array.fromAsync(journal.logs(where.taskId));
    expect(new Set(logs.map(({ execId }) => execId)).size).toBe(12_001);
    await Promise.all([journal.close(), other.close()]);
  });

  it('take a few bytes of memory each', async () => {
    const program = new URL('fixtures/many-execs.ts', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, newDirectory()]);
    expect(Number(stdout)).toBeLessThan(60);
  });
});
