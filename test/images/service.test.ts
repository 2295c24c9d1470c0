/** What goes into the image of the service, and how it is packed. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildable, buildImage } from '../../images/builder/build.ts';
import { librariesOf, pathsIn } from '../../images/builder/node-files.ts';
import { packTree } from '../../images/builder/pack.ts';
import type { Images } from '../../src/backend.ts';

const none: Images = {
  list: () => Promise.resolve([]),
  importRootfs: () => Promise.reject(new Error('nothing is to be imported')),
};

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'caisson-service-image-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return path;
}

describe('the libraries of Node', () => {
  it('are those that ldd lists, of glibc and of musl', () => {
    const glibc = [
      'linux-vdso.so.1 (0x00007f02ccdfa000)',
      'libm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f02ccd04000)',
      'libgone.so.1 => not found',
      '\t/lib64/ld-linux-x86-64.so.2 (0x00007f02ccdfc000)',
    ];
    expect(pathsIn(glibc)).toEqual(['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2']);
    const musl = [
      '/lib/ld-musl-x86_64.so.1 (0x7f84e7ec2000)',
      'libstdc++.so.6 => /usr/lib/libstdc++.so.6 (0x7f84e7c00000)',
      'libc.musl-x86_64.so.1 => /lib/ld-musl-x86_64.so.1 (0x7f84e7ec2000)',
    ];
    expect(pathsIn(musl)).toEqual(['/lib/ld-musl-x86_64.so.1', '/usr/lib/libstdc++.so.6']);
    expect(pathsIn(['statically linked'])).toEqual([]);
  });

  it('have the linker among them here, and a Node that is no ELF file is refused with a way out', async () => {
    expect((await librariesOf(process.execPath, process.env)).some((path) => /\/ld-[^/]+\.so\.\d$/.test(path))).toBe(
      true,
    );
    const script = join(directory(), 'node');
    writeFileSync(script, '#!/bin/sh\n');
    await expect(librariesOf(script, process.env)).rejects.toMatchObject({
      code: 'failed_precondition',
      remedy: expect.stringContaining('on Linux'),
    });
  });

  it('are not guessed where ldd cannot tell them', async () => {
    await expect(librariesOf(process.execPath, { PATH: '/nowhere' })).rejects.toMatchObject({
      remedy: expect.stringContaining('ldd(1)'),
    });
  });
});

describe('a tree that is packed', () => {
  it('belongs to root, has the modes of an image and no times, and holds what links lead to', async () => {
    const tree = directory();
    await mkdir(join(tree, 'bin'), { mode: 0o700 });
    writeFileSync(join(tree, 'bin/run'), 'x', { mode: 0o700 });
    writeFileSync(join(tree, 'plain'), 'text', { mode: 0o600 });
    symlinkSync(join(tree, 'plain'), join(tree, 'link'));
    await chmod(tree, 0o700);
    const entries = new Map<string, readonly unknown[]>();
    for await (const entry of packTree(tree, { dereference: true }).pipe(extract())) {
      const { name, mode, uid, gid, mtime, type } = entry.header;
      let text = '';
      for await (const chunk of entry) text += String(chunk);
      entries.set(name, [type, mode, uid, gid, mtime?.getTime(), text]);
    }
    expect(entries.get('bin')).toEqual(['directory', 0o755, 0, 0, 0, '']);
    expect(entries.get('bin/run')).toEqual(['file', 0o755, 0, 0, 0, 'x']);
    expect(entries.get('plain')).toEqual(['file', 0o644, 0, 0, 0, 'text']);
    expect(entries.get('link')).toEqual(['file', 0o644, 0, 0, 0, 'text']);
  });
});

describe('the image of the service', () => {
  it('is among what can be built, and is made in one way', async () => {
    expect((await buildable()).map(({ name }) => name)).toEqual(['base', 'dev', 'small', 'service']);
    const build = buildImage('service', { images: none, env: process.env, method: 'dockerfile' });
    await expect(build).rejects.toMatchObject({
      code: 'invalid_argument',
      remedy: expect.stringContaining('--method'),
    });
  });
});
