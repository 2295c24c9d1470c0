import { existsSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newExecId } from '../exec/requests.ts';
import { eventsOf, exitAfter, newDirectory, openAt, segmentsIn, started, streamOf } from './journals.ts';

describe('expiry', () => {
  it('takes the oldest first, by age and by size, and nothing that is in use', async () => {
    const directory = newDirectory();
    const day = 86_400_000;
    const old = await openAt(directory, { holder: 'old' });
    const oldId = newExecId();
    const recorder = old.record(oldId, started);
    await recorder.write('stdout', Buffer.alloc(300_000));
    await recorder.end(exitAfter({ stdout: 300_000, stderr: 0 }));
    for (const path of [...segmentsIn(directory), join(directory, 'spill', `${oldId}.stdout`)])
      utimesSync(path, new Date(), new Date(Date.now() - 2 * day));
    const journal = await openAt(directory, { retentionMs: day, storeBytes: 10_000_000 });
    const id = newExecId();
    const running = journal.record(id, started);
    await running.write('stdout', Buffer.alloc(300_000));
    await running.write('stdout', Buffer.alloc(300_000));
    // The record of a process that is alive stays, however old.
    expect((await journal.expire({ dryRun: true })).map(({ name }) => name)).toEqual([`${oldId}.stdout`]);
    expect((await eventsOf(journal, oldId)).map(({ event }) => event.type)).not.toContain('gap');
    const removed = await journal.expire();
    expect(removed).toMatchObject([{ name: `${oldId}.stdout`, bytes: 300_000, why: expect.stringContaining('older') }]);
    const left = await eventsOf(journal, oldId);
    expect(new Set(left.map(({ event }) => event.type))).toEqual(new Set(['started', 'gap', 'exit']));
    expect(streamOf(left, 'stdout').length).toBe(300_000);
    await running.end(exitAfter({ stdout: 600_000, stderr: 0 }));
    expect(streamOf(await eventsOf(journal, id), 'stdout').length).toBe(600_000);
    const strict = await openAt(directory, { holder: 'strict', retentionMs: day, storeBytes: 1 });
    expect((await strict.expire()).map(({ why }) => why)).toEqual([expect.stringContaining('more than')]);
    await strict.close();
    await journal.close();
    await old.close();
  });

  it('keeps no more than all records may take, also while one command prints, and counts the rest as a gap', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory, { storeBytes: 5_000_000 });
    const id = newExecId();
    const running = journal.record(id, started);
    for (let index = 0; index < 100; index += 1) await running.write('stdout', Buffer.alloc(100_000));
    expect(running.note).toContain('is not kept');
    await running.end(exitAfter({ stdout: 10_000_000, stderr: 0 }));
    const events = (await eventsOf(journal, id)).map(({ event }) => event);
    const kept = events.reduce((sum, event) => sum + (event.type === 'stdout' ? event.bytes.length : 0), 0);
    expect(events.map(({ type }) => type)).toContain('gap');
    expect(kept).toBeLessThanOrEqual(5_300_000);
    expect(kept).toBeGreaterThan(1_000_000);
    await journal.close();
  });

  it('makes room for what runs by removing what has ended, segments too', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory, { storeBytes: 100_000_000, holder: 'busy' });
    let most = 0;
    for (let index = 0; index < 600; index += 1) {
      const recorder = journal.record(newExecId(), started);
      for (let at = 0; at < 4; at += 1) await recorder.write('stdout', Buffer.alloc(100_000));
      expect(recorder.note).toBe(null);
      await recorder.end(exitAfter({ stdout: 400_000, stderr: 0 }));
      most = Math.max(most, bytesOf(directory) + bytesOf(join(directory, 'spill')));
    }
    expect(most).toBeLessThanOrEqual(100_000_000);
    expect(most).toBeGreaterThan(60_000_000);
    await journal.close();
  });

  it('clears up by itself, at most once an hour, whichever process comes', async () => {
    const directory = newDirectory();
    const leave = async (): Promise<string> => {
      const left = await openAt(directory, { holder: 'short-lived' });
      const id = newExecId();
      const recorder = left.record(id, started);
      await recorder.write('stdout', Buffer.alloc(300_000));
      await recorder.end(exitAfter({ stdout: 300_000, stderr: 0 }));
      await left.close();
      const spill = join(directory, 'spill', `${id}.stdout`);
      utimesSync(spill, new Date(), new Date(Date.now() - 2 * 86_400_000));
      return spill;
    };
    const journal = await openAt(directory, { retentionMs: 86_400_000 });
    const first = await leave();
    await journal.tidy();
    expect(existsSync(first)).toBe(false);
    const second = await leave();
    await journal.tidy();
    expect(existsSync(second)).toBe(true);
    utimesSync(join(directory, 'tidied'), new Date(), new Date(Date.now() - 2 * 3_600_000));
    await journal.tidy();
    expect(existsSync(second)).toBe(false);
    await journal.close();
  });
});

function bytesOf(directory: string): number {
  const files = readdirSync(directory).map((name) => statSync(join(directory, name), { throwIfNoEntry: false }));
  return files.reduce((sum, file) => sum + (file?.isFile() === true ? file.size : 0), 0);
}
