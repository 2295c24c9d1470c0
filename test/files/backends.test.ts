/** Copies into and out of sandboxes on real places. The docker cases run with the tools of two images. */
import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open as openDocker } from '../../backends/docker/backend.ts';
import { open as openLocal } from '../../backends/local/backend.ts';
import { open as openSsh } from '../../backends/ssh/backend.ts';
import type { Sandbox } from '../../src/backend.ts';
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { Place, type Subject } from '../conformance/place.ts';
import { plainSpec } from '../conformance/spec.ts';
import { dockerHost } from '../engines/docker.ts';
import { hasSshd, startSshd } from '../engines/sshd.ts';
import { scratch, snapshot } from './scratch.ts';

const host = dockerHost();
const sshd = hasSshd() ? await startSshd() : null;
afterAll(() => sshd?.stop());
const docker = (image: string): Subject => ({
  name: image,
  open: (instance) => openDocker({ instance, env: { ...process.env, DOCKER_HOST: host ?? undefined } }),
  spec: plainSpec('docker', { image, cwd: '/workspace', persistent: false }),
  unavailable: host === null ? 'there is no engine' : null,
});
const subjects: readonly Subject[] = [
  docker('caisson-test/busybox:latest'),
  docker('caisson-test/debian:latest'),
  {
    name: 'local',
    open: (instance) => openLocal({ instance, env: process.env }),
    spec: plainSpec('local', { cwd: '/tmp', persistent: true }),
  },
  {
    name: 'ssh',
    open: (instance) => openSsh({ instance, env: sshd?.env ?? {}, settings: sshd?.settings ?? {} }),
    spec: plainSpec('ssh', { cwd: '/tmp', persistent: true }),
    unavailable: sshd === null ? 'there is no sshd' : null,
  },
];

async function said(sandbox: Sandbox, script: string, ...args: string[]): Promise<string> {
  const process = await sandbox.exec(['sh', '-c', script, 'sh', ...args], { cwd: '/', env: {}, stdin: false });
  process.stderr.resume();
  let text = '';
  for await (const chunk of process.stdout) text += String(chunk);
  await process.wait();
  process.release();
  return text;
}

function treeAt(path: string): void {
  mkdirSync(join(path, 'sub/empty'), { recursive: true });
  writeFileSync(join(path, 'sub/a'), 'content');
  writeFileSync(join(path, '-rf'), '');
  writeFileSync(join(path, 'new\nline "$(id)"'), 'odd');
  writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from([0xff, 0xfe])]), 'bytes');
  writeFileSync(join(path, 'n'.repeat(255)), 'long');
  writeFileSync(join(path, 'program'), '#!/bin/sh\n');
  chmodSync(join(path, 'program'), 0o755);
  symlinkSync('sub/a', join(path, 'link'));
}

describe.each(subjects)('on $name', (subject) => {
  let place: Place;
  let sandbox: Sandbox;
  let inside: string;

  beforeAll(async () => {
    if (subject.unavailable) return;
    place = await Place.open(subject);
    sandbox = await place.create();
    inside = `/tmp/caisson-files-${place.instance}`;
    await said(sandbox, 'mkdir "$1"', inside);
  });
  afterAll(async () => {
    if (subject.unavailable) return;
    await said(sandbox, 'rm -rf "$1"', inside);
    await place.close();
  });

  it.skipIf(subject.unavailable)('FT-14 a tree goes to a mount of tmpfs and comes back byte for byte', async () => {
    const base = scratch();
    treeAt(join(base, 'tree'));
    const up = await copyIn(sandbox, { source: join(base, 'tree'), target: `${inside}/tree` });
    expect(up).toMatchObject({ files: 6, directories: 3, skipped: [] });
    expect(await said(sandbox, 'cat "$1"', `${inside}/tree/sub/a`)).toBe('content');
    await copyOut(sandbox, { source: `${inside}/tree`, target: join(base, 'back'), symlinks: 'inside' });
    expect(snapshot(join(base, 'back'))).toEqual(snapshot(join(base, 'tree')));
    expect((await said(sandbox, 'ls -a "$1"', inside)).split('\n')).toEqual(['.', '..', 'tree', '']);
  });

  it.skipIf(subject.unavailable)('a tree goes over one that exists', async () => {
    const base = scratch();
    treeAt(join(base, 'tree'));
    const target = `${inside}/over`;
    await said(sandbox, 'mkdir -p "$1/sub"; echo old >"$1/sub/a"; echo kept >"$1/kept"; ln -s kept "$1/link"', target);
    await copyIn(sandbox, { source: `${join(base, 'tree')}/.`, target });
    expect(await said(sandbox, 'cd "$1" && cat sub/a kept link', target)).toBe('contentkept\ncontent');
    expect(await said(sandbox, 'cd "$1" && ls -a | grep caisson', target)).toBe('');
  });

  it.skipIf(subject.unavailable)('40 MiB keep their checksum both ways', async () => {
    const base = scratch();
    const content = Buffer.alloc(40 * 2 ** 20 + 17);
    for (let i = 0; i < content.length; i += 4096)
      content.writeUInt32LE((i * 2_654_435_761) >>> 0, Math.min(i, content.length - 4));
    writeFileSync(join(base, 'large'), content);
    await copyIn(sandbox, { source: join(base, 'large'), target: inside });
    await copyOut(sandbox, { source: `${inside}/large`, target: join(base, 'back') });
    expect(await sum(join(base, 'back'))).toBe(await sum(join(base, 'large')));
  });

  it.skipIf(subject.unavailable)('what cannot be is a typed error', async () => {
    const base = scratch();
    writeFileSync(join(base, 'one'), 'x');
    await expect(copyOut(sandbox, { source: `${inside}/none`, target: join(base, 'back') })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(copyOut(sandbox, { source: '/dev/zero', target: join(base, 'back') })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await said(sandbox, 'ln -s /proc/version "$1/version"; ln -s /sys/kernel "$1/kernel"', inside);
    for (const source of ['/proc/version', `${inside}/version`, `${inside}/kernel/`])
      await expect(copyOut(sandbox, { source, target: join(base, 'back') })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('no size'),
      });
    await expect(copyIn(sandbox, { source: join(base, 'one'), target: `${inside}/none/one` })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(copyIn(sandbox, { source: join(base, 'one'), target: '/proc/caisson' })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
    expect(readdirSync(base)).toEqual(['one']);
  });

  it.skipIf(subject.unavailable)('a canceled upload leaves the old file and no rest', async () => {
    const base = scratch();
    writeFileSync(join(base, 'large'), Buffer.alloc(200 * 2 ** 20));
    await said(sandbox, 'printf old >"$1/target"', inside);
    const controller = new AbortController();
    const running = copyIn(sandbox, {
      source: join(base, 'large'),
      target: `${inside}/target`,
      signal: controller.signal,
      onProgress: ({ done }) => {
        if ((done ?? 0) > 2 ** 20) controller.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'canceled' });
    expect(await said(sandbox, 'cat "$1/target"; ls -a "$1" | grep caisson', inside)).toBe('old');
  });

  it.skipIf(subject.unavailable)('a canceled download leaves the old file and no process', async () => {
    const base = scratch();
    writeFileSync(join(base, 'target'), 'old');
    await said(sandbox, 'dd if=/dev/zero of="$1/zeros" bs=1M count=300', inside);
    const controller = new AbortController();
    const running = copyOut(sandbox, {
      source: `${inside}/zeros`,
      target: join(base, 'target'),
      signal: controller.signal,
      onProgress: ({ done }) => {
        if ((done ?? 0) > 2 ** 20) controller.abort();
      },
    });
    await expect(running).rejects.toMatchObject({ code: 'canceled' });
    expect(readFileSync(join(base, 'target'), 'utf8')).toBe('old');
    expect(readdirSync(base)).toEqual(['target']);
    await expect
      .poll(
        async () =>
          await said(sandbox, 'for each in /proc/[0-9]*; do readlink "$each/cwd"; done | grep -Fx "$1"', inside),
      )
      .toBe('');
  });
});

async function sum(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
