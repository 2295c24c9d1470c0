import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import type { Store } from '../../src/store/store.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { ExecEvent } from '../../src/values/exec-event.ts';
import { newExecId } from '../exec/requests.ts';
import { bounds } from './stores.ts';
import { exitAfter } from './exits.ts';
import { eventsOf, newDirectory, openAt, segmentsIn, started, streamOf } from './journals.ts';

/** Two execs, the second with some output, in one closed segment. */
async function written(): Promise<{
  readonly segment: string;
  readonly first: string;
  readonly second: string;
  readonly sizes: number[];
}> {
  const directory = newDirectory();
  const journal = await openAt(directory);
  const [first, second] = [newExecId(), newExecId()];
  await journal.record(first, started).end(exitAfter({ stdout: 0, stderr: 0 }));
  const [segment = ''] = segmentsIn(directory);
  const sizes = [readFileSync(segment).length];
  const recorder = journal.record(second, started);
  sizes.push(readFileSync(segment).length);
  for (const text of ['one', 'two', 'three']) {
    await recorder.write('stdout', Buffer.from(text));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    sizes.push(readFileSync(segment).length);
  }
  await recorder.end(exitAfter({ stdout: 11, stderr: 0 }));
  sizes.push(readFileSync(segment).length);
  await journal.close();
  return { segment, first, second, sizes };
}

/** Reads a copy of a segment, damaged and named for a dead process: no process that runs has its start time. */
async function readDamaged(segment: string, damage: (path: string) => void, execId: string): Promise<ExecEvent[]> {
  const directory = newDirectory();
  const copy = join(directory, 'dead-1.seg');
  copyFileSync(segment, copy);
  damage(copy);
  const journal = await openJournal(directory, { ...bounds, holder: 'reader', records: store.records });
  try {
    return await eventsOf(journal, execId);
  } finally {
    await journal.close();
    await forgetAll();
  }
}

let store: Store;

beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'caisson-damage-'));
  ({ store } = await openStore(join(home, 'state.db')));
  return async () => {
    await store.close();
    rmSync(home, { recursive: true });
  };
});

/** A store that knows nothing of the copy that was read before: one for each copy takes longer to make than all else. */
async function forgetAll(): Promise<void> {
  for (const { execId } of await store.records.list({ limit: Infinity })) await store.execs.delete(execId);
  await store.records.dropSegments((await store.records.segments({ limit: 100 })).map(({ name }) => name));
}

describe('a torn segment', () => {
  it('tells what is whole, at every length of its last frames', async () => {
    const { segment, second, sizes } = await written();
    const [, begun = 0, ...rest] = sizes;
    const whole = sizes.at(-1) ?? 0;
    for (let size = begun; size < whole; size++) {
      const events = await readDamaged(segment, (path) => truncateSync(path, size), second);
      const frames = rest.filter((end) => end <= size).length;
      expect(streamOf(events, 'stdout').toString()).toBe(['one', 'two', 'three'].slice(0, frames).join(''));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index + 1));
    }
  });

  it('at any length before that has no record of the exec, or the other whole', async () => {
    const { segment, first, second, sizes } = await written();
    const [before = 0, begun = 0] = sizes;
    for (let size = before; size < begun; size += 7) {
      await expect(readDamaged(segment, (path) => truncateSync(path, size), second)).rejects.toMatchObject({
        code: 'not_found',
      });
      expect(await readDamaged(segment, (path) => truncateSync(path, size), first)).toHaveLength(2);
    }
    for (let size = 0; size < 60; size++) {
      await expect(readDamaged(segment, (path) => truncateSync(path, size), first)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
  });
});

describe('a damaged frame', () => {
  it('in the middle is a counted gap, whichever of its bytes is wrong', async () => {
    const { segment, second, sizes } = await written();
    const [, , from = 0, to = 0] = sizes;
    for (let at = from; at < to; at++) {
      const events = await readDamaged(segment, (path) => flip(path, at), second);
      expect(events.map(({ seq, event }) => [seq, event.type])).toEqual([
        [1, 'started'],
        [2, 'stdout'],
        [3, 'gap'],
        [4, 'stdout'],
        [5, 'exit'],
      ]);
      expect(streamOf(events, 'stdout').toString('latin1')).toBe('one\u00b7\u00b7\u00b7three');
    }
  });

  it('cannot be replaced by output that looks like one', async () => {
    const { segment, first } = await written();
    const directory = newDirectory();
    const journal = await openAt(directory);
    const id = newExecId();
    const recorder = journal.record(id, started);
    // The frames of another segment, printed by a command: "first" would come back to life.
    await recorder.write('stdout', readFileSync(segment));
    await recorder.end(exitAfter({ stdout: 0, stderr: 0 }));
    await journal.close();
    const [own = ''] = segmentsIn(directory);
    const at = readFileSync(own).indexOf(readFileSync(segment));
    await expect(readDamaged(own, (path) => flip(path, at - 20), first)).rejects.toMatchObject({ code: 'not_found' });
    expect((await readDamaged(own, (path) => flip(path, at - 20), id)).at(-1)?.event.type).toBe('exit');
  });

  it('and foreign files disturb no reader', async () => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'other-1.seg'), 'no segment');
    writeFileSync(join(directory, 'empty-1.seg'), '');
    const journal = await openAt(directory);
    const id = newExecId();
    await journal.record(id, started).end(exitAfter({ stdout: 0, stderr: 0 }));
    expect(await eventsOf(journal, id)).toHaveLength(2);
    await journal.close();
  });
});

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0x41, at);
  writeFileSync(path, bytes);
}

it('what a killed process had written is there, and its exec ends as lost (FR-06)', async () => {
  const directory = newDirectory();
  const id = newExecId();
  const child = spawn(
    process.execPath,
    [new URL('fixtures/dying-writer.ts', import.meta.url).pathname, directory, id],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const journal = await openAt(directory);
  await once(child.stdout, 'data');
  expect((await eventsOf(journal, id)).map(({ event }) => event.type)).toEqual(['started']);
  child.stdin.write('go\n');
  await once(child.stdout, 'data');
  const following = eventsOf(journal, id, { follow: true });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const [segment = ''] = segmentsIn(directory);
  appendFileSync(segment, Buffer.from('CJZ1torn'));
  const events = await following;
  expect(events.map(({ seq, event }) => [seq, event.type])).toEqual([
    [1, 'started'],
    [2, 'stdout'],
    [3, 'exit'],
  ]);
  expect(events.at(-1)?.event).toMatchObject({
    exit: { reason: 'lost', exitCode: null, stdout: { bytes: 4, truncated: true } },
  });
  expect((await journal.execs({ limit: 5 }))[0]?.exit).toMatchObject({ reason: 'lost', stdout: { bytes: 4 } });
  await journal.close();
});

describe('a full disk', () => {
  it('lets commands run, tells the gaps, and is forgotten when there is room again', ({ skip }) => {
    if (!mountable()) skip('no mount namespaces for this user');
    const directory = newDirectory();
    const fixture = new URL('fixtures/full-disk.ts', import.meta.url).pathname;
    const script =
      'mount -t tmpfs -o size=160k tmpfs "$1" && head -c 60000 /dev/zero >"$1/ballast" && exec "$2" "$3" "$1/journal" "$1/ballast"';
    const output = execFileSync('unshare', ['-rm', 'sh', '-c', script, 'sh', directory, process.execPath, fixture], {
      encoding: 'utf8',
    });
    const {
      results,
      records,
    }: {
      results: { exit: { reason: string; exitCode: number; notes: string[] }; bytes: number }[];
      records: unknown[][][];
    } = JSON.parse(output);
    expect(results.map(({ exit, bytes }) => [exit.reason, exit.exitCode, bytes])).toEqual([
      ['exited', 0, 200_000],
      ['exited', 0, 600_000],
      ['exited', 0, 6],
      ['exited', 0, 6],
    ]);
    expect(results[0]?.exit.notes.join()).toContain('resource_exhausted');
    const bytesOf = (record: readonly unknown[][]) => record.reduce((sum, [, , bytes]) => sum + Number(bytes), 0);
    expect(records.slice(0, 2).map(bytesOf)).toEqual([200_000, 600_000]);
    expect(records[0]?.some(([, type]) => type === 'gap')).toBe(true);
    expect(records[3]?.map(([, type]) => type)).toEqual(['started', 'stdout', 'exit']);
    expect(results[3]?.exit.notes).toEqual([]);
  });
});

function mountable(): boolean {
  try {
    execFileSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

it('cannot be opened where a file lies in its place, and says where', async () => {
  const path = join(newDirectory(), 'journal');
  writeFileSync(path, '');
  await expect(openAt(path)).rejects.toMatchObject({
    code: 'failed_precondition',
    message: expect.stringContaining(path),
  });
});
