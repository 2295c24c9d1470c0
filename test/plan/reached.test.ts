import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ignoresSetuid, isReachedByOthers } from '../../src/plan/reached.ts';

let above: string;
let source: string;

beforeEach(async () => {
  above = await mkdtemp(join(tmpdir(), 'reached-'));
  source = join(above, 'project');
  await mkdir(source);
});
afterEach(() => rm(above, { recursive: true, force: true }));

describe('a directory that a sandbox writes', () => {
  it.each([
    [0o700, false],
    [0o744, false],
    [0o711, true],
    [0o750, true],
    [0o755, true],
  ])('below a directory of mode %o: others reach it is %s', async (mode, expected) => {
    await chmod(above, mode);
    expect(isReachedByOthers({ source, target: '/workspace', readOnly: false })).toBe(expected);
    expect(isReachedByOthers({ source, target: '/workspace', readOnly: true })).toBe(false);
  });

  it('is not closed by its own mode, which the sandbox may change', async () => {
    await chmod(above, 0o755);
    await chmod(source, 0o700);
    expect(isReachedByOthers({ source, target: '/workspace', readOnly: false })).toBe(true);
  });
});

describe('a mount of this host without setuid', () => {
  const table = [
    '20 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '21 20 254:1 / /srv rw,nosuid,nodev shared:1 - ext4 /dev/vdb rw',
    '22 21 254:2 / /srv/with\\040blank rw,relatime - ext4 /dev/vdc rw',
    '23 20 254:3 / /data rw,relatime - ext4 /dev/vdd rw',
    '24 23 254:4 / /data rw,nosuid - ext4 /dev/vde rw',
    '',
  ].join('\n');

  it.each([
    ['/srv/project', true],
    ['/srv', true],
    ['/srv/with blank/project', false],
    ['/srvx', false],
    ['/home/a', false],
    ['/data/a', true],
  ])('%s: %s', (path, expected) => {
    expect(ignoresSetuid(path, table)).toBe(expected);
  });
});
