import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { sync, type SyncOptions } from '../../../src/files/sync/sync.ts';
import { processSandbox } from '../process-sandbox.ts';
import { scratch } from '../scratch.ts';

/** A directory on either side, and a sync between them. */
function sides() {
  const dir = scratch();
  const place = { home: join(dir, 'home'), sandboxId: 'sbx_1', host: join(dir, 'host'), inside: join(dir, 'inside') };
  mkdirSync(place.host);
  const run = async (how: Pick<SyncOptions, 'direction'> & Partial<SyncOptions>, sandbox: Sandbox = processSandbox()) =>
    await sync(sandbox, { ...place, overwrite: false, untrusted: [], withheld: null, vet: () => {}, ...how });
  return { ...place, run };
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('a sync', () => {
  it('out leaves modes as they are here, and brings programs as programs', async () => {
    const { host, inside, run } = sides();
    for (const [name, mode] of [
      ['tool', 0o755],
      ['private', 0o600],
    ] as const) {
      writeFileSync(join(host, name), 'first');
      chmodSync(join(host, name), mode);
    }
    await run({ direction: 'in' });
    for (const name of ['tool', 'private', 'new']) writeFileSync(join(inside, name), 'second', { mode: 0o755 });
    expect(await run({ direction: 'out' })).toMatchObject({ files: 3, conflicts: [] });
    const all = ['tool', 'private', 'new'].map(
      (name) => `${modeOf(join(host, name))} ${readFileSync(join(host, name), 'utf8')}`,
    );
    expect(all).toEqual(['755 second', '600 second', '755 second']);
  });

  it('leaves out what cannot be compared by name, and says so each time', async () => {
    const { host, inside, run } = sides();
    const odd = ['a\nb', 'back\\slash', 'C:x'];
    for (const name of [...odd, 'plain']) writeFileSync(join(host, name), 'x');
    const first = await run({ direction: 'in' });
    expect(first.files).toBe(1);
    expect(first.conflicts.map(({ path }) => path).toSorted()).toEqual(['C:x', 'a\\nb', 'back\\\\slash']);
    expect(await run({ direction: 'in' })).toMatchObject({ files: 0, unchanged: 1, conflicts: first.conflicts });
    expect(odd.filter((name) => existsSync(join(inside, name)))).toEqual([]);
  });

  it('lets a file take the place of a directory, and takes directories along that it has emptied', async () => {
    const { host, inside, run } = sides();
    for (const name of ['a/b', 'c/d']) mkdirSync(join(host, name), { recursive: true });
    for (const name of ['a/b/x', 'c/d/x', 'c/y']) writeFileSync(join(host, name), 'x');
    await run({ direction: 'in' });
    for (const name of ['a', 'c/d']) rmSync(join(host, name), { recursive: true });
    writeFileSync(join(host, 'a'), 'file');
    expect(await run({ direction: 'in' })).toMatchObject({ files: 1, removed: 2, conflicts: [] });
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('file');
    expect([existsSync(join(inside, 'c/d')), existsSync(join(inside, 'c/y'))]).toEqual([false, true]);
  });

  it('overwrites no link, tells what is in the way, and does the rest', async () => {
    const { host, inside, run } = sides();
    mkdirSync(join(host, 'dir'));
    for (const name of ['dir/x', 'rest']) writeFileSync(join(host, name), 'first');
    symlinkSync(join(host, '../elsewhere'), join(host, 'link'));
    symlinkSync('rest', join(host, 'inner'));
    await run({ direction: 'in' });
    rmSync(join(inside, 'dir'), { recursive: true });
    for (const name of ['dir', 'link', 'inner', 'rest']) writeFileSync(join(inside, name), 'second');
    const reported = await run({ direction: 'out' });
    expect(reported.conflicts.map(({ path }) => path).toSorted()).toEqual(['dir', 'dir/x', 'inner', 'link']);
    expect(['link', 'inner'].every((name) => lstatSync(join(host, name)).isSymbolicLink())).toBe(true);
    expect(readFileSync(join(host, 'rest'), 'utf8')).toBe('second');
    const back = await run({ direction: 'in' });
    expect(back.conflicts.map(({ path }) => path)).toEqual(['dir/x']);
  });

  it('tells what was removed here and changed inside until it is settled', async () => {
    const { host, inside, run } = sides();
    writeFileSync(join(host, 'x'), 'first');
    await run({ direction: 'in' });
    rmSync(join(host, 'x'));
    writeFileSync(join(inside, 'x'), 'second');
    for (let times = 0; times < 2; times += 1)
      expect(await run({ direction: 'in' })).toMatchObject({ removed: 0, conflicts: [{ path: 'x' }] });
    expect(await run({ direction: 'in', overwrite: true })).toMatchObject({ removed: 1, conflicts: [] });
    expect(existsSync(join(inside, 'x'))).toBe(false);
  });

  it('that did not end is gone on with, and what it had placed is no conflict', async () => {
    const { host, inside, run } = sides();
    mkdirSync(inside);
    for (const name of ['a', 'b']) writeFileSync(join(host, name), 'first');
    const sandbox = processSandbox();
    let sent = false;
    const breaking: Sandbox = {
      ...sandbox,
      exec: async (command, options) => {
        if (sent) throw new Error('the connection is gone');
        // The arguments of a script come in its variables.
        sent = Object.values(options.env).some((text) => text.includes(" 'tree' "));
        return await sandbox.exec(command, options);
      },
    };
    await expect(run({ direction: 'in' }, breaking)).rejects.toThrow('the connection is gone');
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('first');
    writeFileSync(join(host, 'a'), 'second');
    rmSync(join(host, 'b'));
    expect(await run({ direction: 'in' })).toMatchObject({ files: 1, removed: 1, conflicts: [] });
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('second');
  });

  it('sends what a file is when it goes, though it has changed since it was looked at', async () => {
    const { host, inside, run } = sides();
    writeFileSync(join(host, 'log'), 'one line');
    const sandbox = processSandbox();
    const writing: Sandbox = {
      ...sandbox,
      exec: async (command, options) => {
        if (command.includes('tree')) writeFileSync(join(host, 'log'), 'two line');
        return await sandbox.exec(command, options);
      },
    };
    expect(await run({ direction: 'in' }, writing)).toMatchObject({ files: 1 });
    writeFileSync(join(host, 'log'), 'three');
    expect(await run({ direction: 'in' })).toMatchObject({ files: 1, conflicts: [] });
    expect(readFileSync(join(inside, 'log'), 'utf8')).toBe('three');
  });

  it('may run several times at once', async () => {
    const { host, run } = sides();
    for (let at = 0; at < 20; at += 1) writeFileSync(join(host, `file-${at}`), 'x');
    await Promise.all([1, 2, 3, 4].map(async () => await run({ direction: 'in' })));
    expect(await run({ direction: 'in' })).toMatchObject({ files: 0, unchanged: 20, conflicts: [] });
  });

  it('sends nothing that another copy has in its scratch, and takes none along', async () => {
    const { host, inside, run } = sides();
    for (const [root, name] of [
      [host, '.caisson-copy-1-0123456789abcdef'],
      [inside, '.caisson-0123456789abcdef'],
    ] as const) {
      mkdirSync(join(root, name), { recursive: true });
      writeFileSync(join(root, name, 'half'), 'x');
      writeFileSync(join(root, root === host ? 'h' : 'i'), 'x');
    }
    expect(await run({ direction: 'in' })).toMatchObject({ files: 1 });
    expect(await run({ direction: 'out' })).toMatchObject({ files: 1 });
  });

  it('out of a directory that is not there is an error, and no sync of nothing', async () => {
    const { inside, run } = sides();
    await expect(run({ direction: 'out' })).rejects.toMatchObject({ code: 'not_found' });
    writeFileSync(inside, 'a file');
    await expect(run({ direction: 'out' })).rejects.toMatchObject({ code: 'failed_precondition' });
  });
});
