import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Progress } from '../../src/backend.ts';
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { processSandbox } from './process-sandbox.ts';
import { busyboxPath, scratch, snapshot } from './scratch.ts';

/** A source of each kind, and places to copy to. Both directions follow the same rules. */
function house(): string {
  const base = scratch();
  mkdirSync(join(base, 'tree', 'sub'), { recursive: true });
  writeFileSync(join(base, 'tree', 'a'), 'new a');
  writeFileSync(join(base, 'tree', 'sub', 'b'), 'new b');
  writeFileSync(join(base, 'one'), 'new one');
  mkdirSync(join(base, 'to', 'dir', 'tree', 'sub'), { recursive: true });
  writeFileSync(join(base, 'to', 'dir', 'tree', 'a'), 'old a');
  writeFileSync(join(base, 'to', 'dir', 'tree', 'kept'), 'kept');
  writeFileSync(join(base, 'to', 'file'), 'old');
  symlinkSync('dir', join(base, 'to', 'link'));
  symlinkSync('file', join(base, 'to', 'linkfile'));
  return base;
}

type Copy = (options: { source: string; target: string }) => Promise<unknown>;
const ways: readonly (readonly [string, (base: string) => Copy])[] = [
  ['into a sandbox with GNU tools', () => (options) => copyIn(processSandbox(), options)],
  ['into a sandbox with BusyBox', (base) => (options) => copyIn(processSandbox(busyboxPath(base)), options)],
  ['out of a sandbox with GNU tools', () => (options) => copyOut(processSandbox(), options)],
  ['out of a sandbox with BusyBox', (base) => (options) => copyOut(processSandbox(busyboxPath(base)), options)],
];

describe.each(ways)('a copy %s', (_title, wayOf) => {
  const lands: readonly (readonly [source: string, target: string, at: string, content: string])[] = [
    ['one', 'to/new', 'to/new', 'new one'],
    ['one', 'to/file', 'to/file', 'new one'],
    ['one', 'to/dir', 'to/dir/one', 'new one'],
    ['one', 'to/dir/', 'to/dir/one', 'new one'],
    ['one', 'to/link', 'to/dir/one', 'new one'],
    ['one', 'to/linkfile', 'to/file', 'new one'],
    ['tree', 'to/new', 'to/new/sub/b', 'new b'],
    ['tree', 'to/new/', 'to/new/sub/b', 'new b'],
    ['tree', 'to/dir', 'to/dir/tree/sub/b', 'new b'],
    ['tree', 'to/dir', 'to/dir/tree/a', 'new a'],
    ['tree', 'to/dir', 'to/dir/tree/kept', 'kept'],
    ['tree/.', 'to/dir', 'to/dir/a', 'new a'],
    ['tree/.', 'to/dir/tree/', 'to/dir/tree/a', 'new a'],
    ['tree/.', 'to/new', 'to/new/a', 'new a'],
    ['tree/', 'to/dir', 'to/dir/tree/sub/b', 'new b'],
  ];
  it.each(lands)('of %s to %s puts %s there', async (source, target, at, content) => {
    const base = house();
    const copy = wayOf(base);
    // `join` would eat the endings that matter here.
    await copy({ source: `${base}/${source}`, target: `${base}/${target}` });
    expect(readFileSync(join(base, at), 'utf8')).toBe(content);
    expect(readFileSync(join(base, 'to/dir/tree/kept'), 'utf8')).toBe('kept');
    expect(readlinkSync(join(base, 'to/linkfile'))).toBe('file');
    expect([...snapshot(base).keys()].filter((path) => path.includes('.caisson'))).toEqual([]);
  });

  const fails: readonly (readonly [source: string, target: string, code: string])[] = [
    ['none', 'to/new', 'not_found'],
    ['one', 'no/new', 'not_found'],
    ['tree', 'no/new', 'not_found'],
    ['one', 'to/new/', 'not_found'],
    ['one', 'to/file/', 'not_found'],
    ['one/', 'to/new', 'failed_precondition'],
    ['one/.', 'to/new', 'failed_precondition'],
    ['tree', 'to/file', 'failed_precondition'],
    ['tree/.', 'to/file', 'failed_precondition'],
    ['tree', 'to/file/x', 'not_found'],
  ];
  it.each(fails)('of %s to %s is %s', async (source, target, code) => {
    const base = house();
    const copy = wayOf(base);
    const before = snapshot(join(base, 'to'));
    await expect(copy({ source: `${base}/${source}`, target: `${base}/${target}` })).rejects.toMatchObject({ code });
    expect(snapshot(join(base, 'to'))).toEqual(before);
  });

  it('a directory where a file should go is in the way, before anything is changed', async () => {
    const base = house();
    const copy = wayOf(base);
    mkdirSync(join(base, 'to', 'dir', 'one'));
    await expect(copy({ source: join(base, 'one'), target: join(base, 'to/dir') })).rejects.toMatchObject({
      code: 'failed_precondition',
    });
    expect(lstatSync(join(base, 'to/dir/one')).isDirectory()).toBe(true);
  });

  it('FT-17 two writers of one file do not interleave', async () => {
    const base = house();
    const copy = wayOf(base);
    const sources = ['x', 'y', 'z'].map((letter) => {
      writeFileSync(join(base, letter), letter.repeat(300_000));
      return join(base, letter);
    });
    await Promise.all(sources.map(async (source) => copy({ source, target: join(base, 'to/file') })));
    expect(readFileSync(join(base, 'to/file'), 'utf8')).toMatch(/^(x{300000}|y{300000}|z{300000})$/);
  });

  it('takes a source that is a link for what it leads to', async () => {
    const base = house();
    symlinkSync('one', join(base, 'alias'));
    await wayOf(base)({ source: join(base, 'alias'), target: join(base, 'to/dir') });
    expect(readFileSync(join(base, 'to/dir/alias'), 'utf8')).toBe('new one');
    expect(lstatSync(join(base, 'to/dir/alias')).isFile()).toBe(true);
  });
});

describe('copying into a sandbox', () => {
  it('leaves out sockets, pipes, devices and links that lead outside, and lists them', async () => {
    const base = scratch();
    mkdirSync(join(base, 'tree/sub'), { recursive: true });
    const server = createServer().listen(join(base, 'tree/socket'));
    execFileSync('mkfifo', [join(base, 'tree/pipe')]);
    symlinkSync('/etc/passwd', join(base, 'tree/absolute'));
    symlinkSync('../../etc', join(base, 'tree/out'));
    symlinkSync('sub/../sub', join(base, 'tree/climbs'));
    symlinkSync('../tree', join(base, 'tree/sibling'));
    symlinkSync('../pipe', join(base, 'tree/sub/inside'));
    try {
      const { skipped, files, directories } = await copyIn(processSandbox(), {
        source: join(base, 'tree'),
        target: join(base, 'inside'),
      });
      expect(skipped.map(({ path }) => path)).toEqual(['absolute', 'climbs', 'out', 'pipe', 'sibling', 'socket']);
      expect({ files, directories }).toEqual({ files: 0, directories: 2 });
      expect(snapshot(join(base, 'inside'))).toEqual(
        new Map([
          ['sub', 'directory'],
          ['sub/inside', '-> ../pipe'],
        ]),
      );
    } finally {
      server.close();
    }
  });

  it('keeps the modes of directories that exist', async () => {
    const base = house();
    chmodSync(join(base, 'to/dir'), 0o777);
    chmodSync(join(base, 'to/dir'), 0o1777);
    await copyIn(processSandbox(), { source: `${base}/tree/.`, target: join(base, 'to/dir') });
    expect((lstatSync(join(base, 'to/dir')).mode & 0o7777).toString(8)).toBe('1777');
  });

  it('does not replace a device', async () => {
    const base = house();
    await expect(copyIn(processSandbox(), { source: join(base, 'one'), target: '/dev/null' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it('refuses a relative or broken target before it looks at anything', async () => {
    for (const target of ['x', '', './x', '/a\0b', `/${'x/'.repeat(3000)}`]) {
      await expect(copyIn(processSandbox(), { source: '/none', target })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
  });

  it('FT-11 starts one plain process, whose shell text never holds a path as text to evaluate', async () => {
    const base = house();
    const sandbox = processSandbox();
    const target = join(base, 'to/$(touch pwned) `id`;-x');
    await copyIn(sandbox, { source: join(base, 'one'), target });
    expect(readFileSync(target, 'utf8')).toBe('new one');
    expect(sandbox.commands.length).toBe(1);
    const [command = []] = sandbox.commands;
    expect(command.slice(0, 2)).toEqual(['sh', '-c']);
    expect(command.join(' ')).not.toContain('pwned');
    for (const place of [base, process.cwd()]) expect(existsSync(join(place, 'pwned'))).toBe(false);
  });

  it('FT-13 says what is missing when there is no tar', async () => {
    const base = house();
    const bin = busyboxPath(base);
    for (const sandbox of [processSandbox(withoutTar(bin)), processSandbox('/nowhere')]) {
      const error = { code: 'failed_precondition', remedy: expect.stringContaining('sh and tar') };
      await expect(copyIn(sandbox, { source: join(base, 'one'), target: join(base, 'to/new') })).rejects.toMatchObject(
        error,
      );
      await expect(copyOut(sandbox, { source: join(base, 'one'), target: join(base, 'to/new') })).rejects.toMatchObject(
        error,
      );
      expect(existsSync(join(base, 'to/new'))).toBe(false);
    }
  });

  it('tells progress with a total, and seldom', async () => {
    const base = scratch();
    mkdirSync(join(base, 'tree'));
    for (let i = 0; i < 300; i++) writeFileSync(join(base, 'tree', String(i)), 'x'.repeat(1000));
    const reported: Progress[] = [];
    await copyIn(processSandbox(), {
      source: join(base, 'tree'),
      target: join(base, 'inside'),
      onProgress: (progress) => reported.push(progress),
    });
    expect(reported.at(-1)).toEqual({ what: 'copying into the sandbox', done: 300_000, total: 300_000 });
    expect(reported.length).toBeLessThan(60);
  });
});

describe('copying out of a sandbox', () => {
  it.each(['/dev/zero', '/dev/null'])('FT-16 refuses %s', async (source) => {
    const base = scratch();
    await expect(copyOut(processSandbox(), { source, target: join(base, 'x') })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(readdirSync(base)).toEqual([]);
  });

  it('FT-16 refuses a pipe and a sparse file of 1 TiB at once', async () => {
    const base = scratch();
    execFileSync('mkfifo', [join(base, 'pipe')]);
    execFileSync('truncate', ['-s', '1T', join(base, 'sparse')]);
    await expect(
      copyOut(processSandbox(), { source: join(base, 'pipe'), target: join(base, 'x') }),
    ).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(
      copyOut(processSandbox(), { source: join(base, 'sparse'), target: join(base, 'x') }),
    ).rejects.toMatchObject({ details: { rule: 'too-many-bytes' } });
    expect(readdirSync(base).sort()).toEqual(['pipe', 'sparse']);
  });

  it('copies a file with two names as two files where GNU tar can', async () => {
    const base = scratch();
    mkdirSync(join(base, 'tree'));
    writeFileSync(join(base, 'tree/a'), 'x');
    execFileSync('ln', [join(base, 'tree/a'), join(base, 'tree/b')]);
    await copyOut(processSandbox(), { source: join(base, 'tree'), target: join(base, 'back') });
    expect(snapshot(join(base, 'back'))).toEqual(
      new Map([
        ['a', 'file x'],
        ['b', 'file x'],
      ]),
    );
    const busybox = copyOut(processSandbox(busyboxPath(base)), {
      source: join(base, 'tree'),
      target: join(base, 'back2'),
    });
    await expect(busybox).rejects.toMatchObject({
      code: 'permission_denied',
      details: { rule: 'hard-link' },
      remedy: expect.stringContaining('cp -R'),
    });
  });

  it('FT-12 copes with a tar that lies about everything', async () => {
    const base = house();
    const bin = withoutTar(busyboxPath(base));
    writeFileSync(
      join(bin, 'tar'),
      '#!/bin/sh\nyes garbage | head -c 100000\nhead -c 100000 /dev/zero | tr "\\0" "\\033" >&2\nexit 0\n',
      { mode: 0o755 },
    );
    const copy = copyOut(processSandbox(`${bin}:/usr/bin:/bin`), {
      source: join(base, 'tree'),
      target: join(base, 'to/new'),
    });
    await expect(copy).rejects.toMatchObject({ code: 'permission_denied' });
    expect(existsSync(join(base, 'to/new'))).toBe(false);
  });
});

function withoutTar(bin: string): string {
  const other = `${bin}-without-tar`;
  execFileSync('cp', ['-a', bin, other]);
  // The sh of BusyBox finds its own tar without looking for one.
  execFileSync('rm', [join(other, 'tar'), join(other, 'sh')]);
  symlinkSync('/bin/sh', join(other, 'sh'));
  return other;
}
