import { existsSync, readdirSync, readlinkSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newExecId } from '../exec/requests.ts';
import { exitAfter } from './exits.ts';
import { eventsOf, newDirectory, openAt, segmentsIn, started, streamOf } from './journals.ts';

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
    let max = 0;
    for (let index = 0; index < 600; index += 1) {
      const recorder = journal.record(newExecId(), started);
      for (let at = 0; at < 4; at += 1) await recorder.write('stdout', Buffer.alloc(100_000));
      expect(recorder.note).toBe(null);
      await recorder.end(exitAfter({ stdout: 400_000, stderr: 0 }));
      max = Math.max(max, bytesOf(directory) + bytesOf(join(directory, 'spill')));
    }
    expect(max).toBeLessThanOrEqual(100_000_000);
    expect(max).toBeGreaterThan(60_000_000);
    await journal.close();
  });

  it('takes the records of the owner with the most, and leaves those of another', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory, { storeBytes: 20_000_000 });
    const alice = [idOf('alice'), idOf('alice')];
    const mallory = Array.from({ length: 200 }, () => idOf('mallory'));
    for (const id of [...alice, ...mallory]) {
      const recorder = journal.record(id, started);
      for (let at = 0; at < 4; at += 1) await recorder.write('stdout', Buffer.alloc(100_000));
      await recorder.end(exitAfter({ stdout: 400_000, stderr: 0 }));
    }
    await journal.expire();
    // Half of all for mallory, and the little of alice.
    expect(bytesOf(directory) + bytesOf(join(directory, 'spill'))).toBeLessThan(11_000_000);
    for (const id of alice) expect(streamOf(await eventsOf(journal, id), 'stdout').length).toBe(400_000);
    expect((await journal.execs({ limit: 1000 })).length).toBeLessThan(60);
    expect(await journal.exec(mallory[0] ?? '')).toBe(null);
    expect(await journal.exec(mallory.at(-1) ?? '')).toMatchObject({ exit: { reason: 'exited' } });
    await journal.close();
  });

  it('keeps the output of one owner while commands of another that run have all that they may', async () => {
    const journal = await openAt(newDirectory(), { storeBytes: 20_000_000 });
    const [flood, id] = [idOf('mallory'), idOf('alice')];
    const running = journal.record(flood, started);
    for (let index = 0; index < 300; index += 1) await running.write('stdout', Buffer.alloc(100_000));
    expect(running.note).toContain('is not kept');
    const other = journal.record(id, started);
    for (let index = 0; index < 30; index += 1) await other.write('stdout', Buffer.alloc(100_000));
    expect(other.note).toBe(null);
    await other.end(exitAfter({ stdout: 3_000_000, stderr: 0 }));
    expect(streamOf(await eventsOf(journal, id), 'stdout').length).toBe(3_000_000);
    await running.end(exitAfter({ stdout: 30_000_000, stderr: 0 }));
    await journal.close();
  });

  it('records for more owners than it has files open', async () => {
    const directory = newDirectory();
    const journal = await openAt(directory);
    const ids = Array.from({ length: 150 }, (_, index) => idOf(`owner-${index}`));
    for (const id of ids) await journal.record(id, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    expect(readdirSync('/proc/self/fd').filter((fd) => isSegment(fd)).length).toBeLessThan(70);
    const [again = ''] = ids;
    const other = `${again}-2`;
    await journal.record(other, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    const reader = await openAt(directory, { holder: 'reader' });
    for (const id of [...ids, other]) expect(await reader.exec(id)).toMatchObject({ exit: { reason: 'exited' } });
    await reader.close();
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

const idOf = (owner: string): string => `exec_${owner}.${newExecId().slice('exec_'.length)}`;

function isSegment(fd: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`).endsWith('.seg');
  } catch {
    return false;
  }
}

function bytesOf(directory: string): number {
  const files = readdirSync(directory).map((name) => statSync(join(directory, name), { throwIfNoEntry: false }));
  return files.reduce((sum, file) => sum + (file?.isFile() === true ? file.size : 0), 0);
}
