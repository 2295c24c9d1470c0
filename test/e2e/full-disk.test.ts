/** A full disk of the state directory leaves the way out open. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, statfsSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/lib/clock.ts';
import { migrations } from '../../src/store/sqlite/migrations.ts';
import { prepare } from '../../src/store/sqlite/prepare.ts';
import { makeHome } from './home.ts';

/** Takes the last byte. */
function fill(directory: string): void {
  const fd = openSync(join(directory, 'filler'), 'w');
  for (const size of [1024 * 1024, 4096, 1]) {
    try {
      for (;;) writeSync(fd, Buffer.alloc(size, 'x'));
    } catch {
      // Full for this size.
    }
  }
  closeSync(fd);
}

it(
  'without a free byte, ls, stop, rm and gc work, and the reserve is made again when there is room',
  { timeout: 120_000 },
  async ({ skip }) => {
    skip(process.getuid?.() !== 0, 'mounting a small disk needs root');
    await using home = await makeHome();
    const state = join(home.path, 'state');
    execFileSync('mkdir', [state]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=700', 'tmpfs', state]);
    try {
      const cli = (...args: string[]) => home.cli(args, '', { CAISSON_HOME: state, CAISSON_TERMINAL_BACKEND: 'local' });
      for (const task of ['one', 'two']) expect(await cli('create', '--task', task)).toMatchObject({ code: 0 });
      expect(statSync(join(state, 'reserve'))).toMatchObject({ size: 16 * 1024 * 1024 });
      expect(statSync(join(state, 'reserve')).blocks * 512).toBeGreaterThanOrEqual(16 * 1024 * 1024);
      fill(state);
      expect(statfsSync(state).bavail).toBe(0);
      const listed = await cli('ls');
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('one') });
      expect(listed.stderr).toContain('its reserve was given up');
      expect(readdirSync(state)).not.toContain('reserve');
      // Commands do not use up what the reserve has given.
      fill(state);
      execFileSync('truncate', ['-s', `-${6 * 1024 * 1024}`, join(state, 'filler')]);
      const refused = await cli('exec', 'one', '--', 'true');
      expect([refused.code, refused.stderr]).toEqual([
        expect.any(Number),
        expect.stringContaining('directory is full'),
      ]);
      expect(refused.code).not.toBe(0);
      expect(await cli('stop', 'one')).toMatchObject({ code: 0 });
      expect(await cli('rm', 'two')).toMatchObject({ code: 0 });
      expect(await cli('gc')).toMatchObject({ code: 0 });
      expect(await cli('rm', 'one')).toMatchObject({ code: 0 });
      execFileSync('rm', [join(state, 'filler')]);
      expect(await cli('ls')).toMatchObject({ code: 0 });
      expect(readdirSync(state)).toContain('reserve');
    } finally {
      execFileSync('umount', ['-l', state]);
    }
  },
);

it('a command that prints without end leaves the disk room, and goes on', { timeout: 120_000 }, async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'mounting a small disk needs root');
  await using home = await makeHome();
  const state = join(home.path, 'state');
  execFileSync('mkdir', [state]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=130m,mode=700', 'tmpfs', state]);
  try {
    const more = { CAISSON_HOME: state, CAISSON_TERMINAL_BACKEND: 'local' };
    const created = await home.cli(['create', '--task', 'one'], '', more);
    expect(created).toMatchObject({ code: 0 });
    const text = 'head -c 60000000 /dev/zero; exit 4';
    const done = await home.cli(['exec', 'one', '--', 'sh', '-c', text], '', more);
    expect(done.code).toBe(4);
    expect(done.stderr).toContain('is not kept');
    expect(statfsSync(state).bavail * statfsSync(state).bsize).toBeGreaterThan(48 * 1024 * 1024);
  } finally {
    execFileSync('umount', ['-l', state]);
  }
});

it('an upgrade on a full disk says so, and leaves the old version usable', { timeout: 120_000 }, async ({ skip }) => {
  skip(process.getuid?.() !== 0, 'mounting a small disk needs root');
  await using home = await makeHome();
  const state = join(home.path, 'state');
  execFileSync('mkdir', [state]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=700', 'tmpfs', state]);
  try {
    const path = join(state, 'caisson.db');
    const old = migrations.filter(({ version }) => version < 3);
    const prepared = prepare(path, { migrations: old, timeoutMs: 1000, clock: systemClock });
    prepared.db.close();
    prepared.lock.release();
    fill(state);
    // Room to open the database, and none for a copy of it.
    truncateSync(join(state, 'filler'), statSync(join(state, 'filler')).size - 64 * 1024);
    const more = { CAISSON_HOME: state, CAISSON_TERMINAL_BACKEND: 'local' };
    const refused = await home.cli(['ls'], '', more);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/from version 2 to \d+, and changed nothing.*full/s);
    expect(readdirSync(state).filter((name) => name.startsWith('caisson.db.v2'))).toEqual([]);
    execFileSync('rm', [join(state, 'filler')]);
    const db = new DatabaseSync(path);
    expect(db.prepare('SELECT max(version) AS v FROM migrations').get()).toEqual({ v: 2 });
    db.close();
    expect(await home.cli(['ls'], '', more)).toMatchObject({ code: 0 });
  } finally {
    execFileSync('umount', ['-l', state]);
  }
});
