import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  keptSandboxId,
  makeDirectory,
  type StateLocation,
  removeDirectory,
  removeEmptyDirectory,
  unlinkedDirectories,
} from '../../src/sandbox/directory.ts';

const id = 'sbx_aaaaaaaaaaaaaaaa';
const other = 'sbx_bbbbbbbbbbbbbbbb';
let place: StateLocation;

beforeEach(async () => {
  place = { home: await mkdtemp(join(tmpdir(), 'caisson-dir-')), backend: 'docker' };
});
afterEach(() => rm(place.home, { recursive: true, force: true }));

describe("the task's own directory", () => {
  it('is private, and the task points to it', async () => {
    const directory = await makeDirectory(place, 'demo', id);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(await keptSandboxId(place, 'demo')).toBe(id);
  });

  it('points to the newest when a task gets another one, and the old one is seen as abandoned', async () => {
    await makeDirectory(place, 'demo', id);
    await makeDirectory(place, 'demo', other);
    expect(await keptSandboxId(place, 'demo')).toBe(other);
    expect(await unlinkedDirectories(place)).toEqual([id]);
  });

  it('is not taken from a link that was planted to point elsewhere', async () => {
    await mkdir(join(place.home, 'sandboxes/docker/tasks'), { recursive: true });
    await symlink('/etc', join(place.home, 'sandboxes/docker/tasks/demo'));
    expect(await keptSandboxId(place, 'demo')).toBeNull();
  });

  it('is removed without following what the sandbox planted in it (PI-06, PI-07)', async () => {
    const outside = join(place.home, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'precious'), 'x');
    const directory = await makeDirectory(place, 'demo', id);
    await symlink(outside, join(directory, 'link'));
    await removeDirectory(place, 'demo', id);
    expect(await readdir(outside)).toEqual(['precious']);
    expect(await keptSandboxId(place, 'demo')).toBeNull();
    expect(await readdir(join(place.home, 'sandboxes/docker'))).toEqual(['tasks']);
  });

  it('removing twice, or what never was, is fine', async () => {
    await removeDirectory(place, 'demo', id);
    await makeDirectory(place, 'demo', id);
    await removeDirectory(place, 'demo', id);
    await removeDirectory(place, 'demo', id);
  });

  it('is removed when it never came to hold a file, and stays when it did', async () => {
    const empty = await makeDirectory(place, 'empty', id);
    await mkdir(join(empty, 'workspace'));
    const full = await makeDirectory(place, 'full', other);
    await mkdir(join(full, 'workspace'));
    await writeFile(join(full, 'workspace/file'), 'x');
    await removeEmptyDirectory(place, 'empty', id);
    await removeEmptyDirectory(place, 'full', other);
    expect(await keptSandboxId(place, 'empty')).toBeNull();
    expect(await keptSandboxId(place, 'full')).toBe(other);
    expect(await readdir(join(full, 'workspace'))).toEqual(['file']);
  });
});
