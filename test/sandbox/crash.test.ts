/**
 * Caisson killed at every step, on a place whose stopped sandbox is another resource: the sandbox is adopted or removed, its
 * files are kept, and nothing is left in the place.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { diskHome, output, within, written } from './disk-home.ts';

const worker = fileURLToPath(new URL('crash.process.ts', import.meta.url));
const disk = diskHome();

async function killedIn(verb: string, env: Readonly<Record<string, string>>): Promise<NodeJS.Signals | null> {
  const { at } = disk;
  const child = spawn(process.execPath, [worker, at.home, verb], {
    env: { ...compiled, ...at.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()));
  await once(child, 'close');
  if (child.signalCode === null) throw new Error(`it was not killed: ${errors}`);
  return child.signalCode;
}

const live = async (): Promise<number> => (await disk.at.place.all('live')).length;
const snapshots = async (): Promise<number> => (await disk.at.place.all('snapshots')).length;
const left = async (): Promise<number> => (await live()) + (await snapshots());

/** A step at which Caisson, or its backend within it, is killed. The sandbox of the task has written `kept` before. */
const core = (name: string) => ({ name, env: { CAISSON_TEST_FAILPOINT: `${name}:crash` } });
const backend = (name: string) => ({ name: `${name} in the backend`, env: { DISK_CRASH: name } });

const stops = [
  ...['stopping', 'before-ref', 'after-ref', 'after-stop'].map(core),
  ...['snapshots-half', 'snapshot-made', 'recorded', 'live-ended'].map(backend),
];
const starts = [
  ...['before-start', 'before-ref', 'after-ref', 'after-start', 'before-ready'].map(core),
  ...['live-half', 'live-made', 'recorded'].map(backend),
];
const creations = [
  ...['after-intent', 'before-create', 'after-create', 'after-ready'].map(core),
  ...['live-half', 'live-made'].map(backend),
];
const removals = [...['before-remove', 'after-remove', 'before-forget'].map(core), backend('destroy-half')];

/** What the next process owes: one sandbox with its files, and after its removal nothing in the place. */
async function expectKept(before: string): Promise<void> {
  await within(disk.at, async (caisson) => {
    await caisson.sandboxes.gc({ dryRun: false });
    expect(await caisson.sandboxes.gc({ dryRun: true })).toEqual([]);
    expect(await live()).toBeLessThanOrEqual(1);
    expect(await output(caisson, 'cat note')).toBe(before);
    expect((await caisson.sandboxes.get('demo')).lostSince).toBeNull();
    await caisson.sandboxes.stop('demo');
    expect([await live(), await snapshots()]).toEqual([0, 1]);
    expect(await output(caisson, 'cat note')).toBe(before);
    await caisson.sandboxes.remove('demo');
  });
  expect(await left()).toBe(0);
}

describe('a process that is killed', () => {
  it.each(stops)('while it stops a sandbox keeps the files: at $name', async ({ env }) => {
    await written(disk.at);
    expect(await killedIn('stop', env)).toBe('SIGKILL');
    await expectKept('kept\nmore\n');
  });

  it.each([backend('snapshot-made'), backend('recorded'), core('after-stop')])(
    'is followed by a command that finds the files, without gc: stop at $name',
    async ({ env }) => {
      await written(disk.at);
      await killedIn('stop', env);
      expect(await within(disk.at, (caisson) => output(caisson, 'cat note'))).toBe('kept\nmore\n');
      expect(await live()).toBe(1);
    },
  );

  it.each(starts)('while it starts a sandbox keeps the files: at $name', async ({ env }) => {
    await written(disk.at);
    await within(disk.at, (caisson) => caisson.sandboxes.stop('demo'));
    expect(await killedIn('start', env)).toBe('SIGKILL');
    await expectKept('kept\nmore\n');
  });

  it.each(creations)('while it creates a sandbox leaves one or none: at $name', async ({ env }) => {
    expect(await killedIn('create', env)).toBe('SIGKILL');
    await within(disk.at, async (caisson) => {
      await caisson.sandboxes.gc({ dryRun: false });
      expect(await caisson.sandboxes.gc({ dryRun: true })).toEqual([]);
      expect(await left()).toBe((await caisson.sandboxes.list()).items.length);
      expect(await output(caisson, 'echo used; ls')).toBe('used\n');
      await caisson.sandboxes.remove('demo');
    });
    expect(await left()).toBe(0);
  });

  it.each(removals)('while it removes a sandbox leaves nothing: at $name', async ({ env }) => {
    await written(disk.at);
    expect(await killedIn('destroy', env)).toBe('SIGKILL');
    await within(disk.at, async (caisson) => {
      await caisson.sandboxes.gc({ dryRun: false });
      expect((await caisson.sandboxes.list()).items).toEqual([]);
    });
    expect(await left()).toBe(0);
  });
});
