/** What a sandbox writes, and how much of it (RL-06, RL-07). */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasApptainer } from '../../engines/apptainer.ts';
import { sh } from '../../conformance/command.ts';
import type { Sandbox } from '../../../src/backend.ts';
import { createOptions, TestPlace } from './place.ts';

const mebibyte = 2 ** 20;
const none = { cpuCores: null, memoryBytes: null, pids: null };
const isRoot = process.getuid?.() === 0;

describe.skipIf(!hasApptainer() || !isRoot)('the disk of a sandbox of Apptainer, by root', () => {
  let place: TestPlace;
  const kept = mkdtempSync(join(tmpdir(), 'caisson-kept-'));
  beforeAll(async () => {
    place = await TestPlace.open();
  });
  afterAll(async () => {
    await place.close();
    rmSync(kept, { recursive: true, force: true });
  });

  const persistent = (megabytes: number, options = createOptions()): Promise<Sandbox> =>
    place.create(
      { persistent: true, limits: { ...none, diskBytes: megabytes * mebibyte } },
      { ...options, directory: kept },
    );
  const fill = async (sandbox: Sandbox, path: string, megabytes: number): Promise<number | null> =>
    (await sh(sandbox, `head -c ${megabytes * mebibyte} /dev/zero >${path}`)).exitCode;

  it('is one for all places where it writes, full at its size, and usable again after that', async () => {
    const sandbox = await persistent(64);
    expect(await fill(sandbox, '/workspace/a', 25)).toBe(0);
    expect(await fill(sandbox, '/root/b', 20)).toBe(0);
    expect(await fill(sandbox, '/tmp/c', 40)).not.toBe(0);
    expect(await fill(sandbox, '/d', 40)).not.toBe(0);
    expect((await sh(sandbox, 'rm /tmp/c /d /root/b')).exitCode).toBe(0);
    expect(await fill(sandbox, '/tmp/c', 20)).toBe(0);
    await sandbox.destroy();
  });

  it('takes on the host what was written, and no more than its size', () => {
    const { size, blocks } = statSync(join(kept, 'overlay.img'));
    expect(size).toBe(64 * mebibyte);
    expect(blocks * 512).toBeLessThanOrEqual(64 * mebibyte);
  });

  it('grows with the limit, and keeps what is in it', async () => {
    const sandbox = await persistent(128);
    expect((await sh(sandbox, 'wc -c </workspace/a')).stdout.toString()).toBe(`${25 * mebibyte}\n`);
    expect(await fill(sandbox, '/workspace/e', 55)).toBe(0);
    await sandbox.destroy();
  });

  it('is not cut to less than what is in it, and is whole after the try', async () => {
    await expect(persistent(32)).rejects.toMatchObject({ code: 'failed_precondition' });
    const sandbox = await persistent(128);
    expect((await sh(sandbox, 'wc -c </workspace/e; rm /workspace/e /tmp/c')).stdout.toString()).toBe(
      `${55 * mebibyte}\n`,
    );
    await sandbox.destroy();
  });

  it('shrinks to a limit that what is in it fits', async () => {
    const sandbox = await persistent(64);
    expect((await sh(sandbox, 'wc -c </workspace/a')).stdout.toString()).toBe(`${25 * mebibyte}\n`);
    expect(await fill(sandbox, '/workspace/f', 60)).not.toBe(0);
    await sandbox.destroy();
    expect(statSync(join(kept, 'overlay.img')).size).toBe(64 * mebibyte);
  });

  it('cannot be made to lead elsewhere by what a sandbox leaves in it', async () => {
    const first = await persistent(64);
    await sh(first, 'rm -rf /bin/ls /workspace/*; ln -s /etc /workspace/etc; mkdir /upper; ln -sf /etc /upper/open');
    await first.destroy();
    const second = await persistent(64);
    expect((await sh(second, 'echo x >/workspace/etc/caisson-mark')).exitCode).toBe(0);
    expect(existsSync('/etc/caisson-mark')).toBe(false);
    await second.destroy();
  });

  it('is memory for an ephemeral sandbox, of the size of the limit', async () => {
    const sandbox = await place.create({ limits: { ...none, diskBytes: 32 * mebibyte } });
    expect(await fill(sandbox, '/workspace/a', 24)).toBe(0);
    expect(await fill(sandbox, '/b', 24)).not.toBe(0);
    expect(
      (await sh(sandbox, 'i=0; while : >/workspace/f$i; do i=$((i+1)); [ $i -lt 100000 ] || exit 9; done')).exitCode,
    ).not.toBe(9);
    await sandbox.destroy();
  });
});
