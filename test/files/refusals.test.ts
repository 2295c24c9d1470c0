import { lstatSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOut } from '../../src/files/copy-out.ts';
import { base256, directory, endMark, entry, file, long, pax, root, symlink, tree } from './hostile-tars.ts';
import { printingSandbox } from './process-sandbox.ts';
import { scratch, snapshot } from './scratch.ts';

const deep = (levels: number): Buffer[] =>
  Array.from({ length: levels }, (_, i) => Buffer.concat([long('L', `./${'d/'.repeat(i + 1)}`), directory('cut')]));

/** What the sandbox sends, and the rule that refuses it. */
const refused: readonly (readonly [string, Buffer, string])[] = [
  ['FT-01 a name that leads upwards', tree(file('./../x')), 'dot-dot'],
  ['FT-01 a bare parent', tree(directory('..')), 'dot-dot'],
  ['FT-01 a name that leads upwards inside', tree(directory('a'), file('a/../../x')), 'dot-dot'],
  ['FT-01 an absolute name', tree(file('/tmp/x')), 'absolute-name'],
  ['FT-01 a name that is absolute after its dot', tree(file('.//tmp/x')), 'dot'],
  ['FT-01 a backslash', tree(file('a\\..\\x')), 'backslash'],
  ['FT-01 a drive letter', tree(file('C:/x')), 'drive-letter'],
  ['FT-01 a drive letter after its dot', tree(file('./c:x')), 'drive-letter'],
  ['FT-01 an empty name', tree(file('')), 'empty-name'],
  ['FT-01 a NUL in a long name', tree(long('L', './a\0b'), file('cut')), 'nul'],
  ['FT-01 a NUL in a pax name', tree(pax({ path: './a\0b' }), file('cut')), 'nul'],
  ['FT-01 a name that leads upwards in its prefix', tree(entry({ name: 'x', prefix: '../..' })), 'dot-dot'],
  ['FT-01 a single file that leads upwards', Buffer.concat([file('../x'), endMark]), 'dot-dot'],
  ['FT-01 a single file in a directory', Buffer.concat([file('./a/x'), endMark]), 'no-parent'],
  ['FT-02 a file through a link that was left out', tree(symlink('d', '/etc'), file('d/passwd')), 'no-parent'],
  ['FT-02 a directory through a link that was left out', tree(symlink('d', '/etc'), directory('d/x')), 'no-parent'],
  ['FT-02 a file through a file', tree(file('d'), file('d/passwd')), 'no-parent'],
  ['FT-04 a hard link to a host file', tree(entry({ name: 'h', type: '1', link: '/etc/passwd' })), 'hard-link'],
  ['FT-04 a hard link to a file of its own', tree(file('a'), entry({ name: 'h', type: '1', link: 'a' })), 'hard-link'],
  [
    'FT-04 a hard link as the only entry',
    Buffer.concat([entry({ name: 'h', type: '1', link: '/etc/passwd' }), endMark]),
    'hard-link',
  ],
  ['FT-05 a GNU sparse file', tree(entry({ name: 's', type: 'S', body: Buffer.alloc(512) })), 'sparse'],
  ['FT-05 a pax sparse file', tree(pax({ 'GNU.sparse.major': '1' }), file('s')), 'sparse'],
  ['FT-05 an unknown type', tree(entry({ name: 'v', type: 'V' })), 'unknown-type'],
  ['FT-05 a global pax header', tree(pax({ path: '../x' }, 'g'), file('a')), 'unknown-type'],
  ['FT-05 a pax name that leads upwards', tree(pax({ path: '../x' }), file('a')), 'dot-dot'],
  ['FT-05 a pax size that is no number', tree(pax({ size: '-5' }), file('a')), 'size'],
  ['FT-05 a pax size beyond all numbers', tree(pax({ size: '9999999999999999' }), file('a')), 'size'],
  [
    'FT-05 a pax header that is not well formed',
    tree(entry({ name: 'p', type: 'x', body: Buffer.from('99 path=x\n') }), file('a')),
    'extension',
  ],
  [
    'FT-05 a pax header without a length',
    tree(entry({ name: 'p', type: 'x', body: Buffer.from('path=x\n') }), file('a')),
    'extension',
  ],
  ['FT-05 a long name of 1 MiB', tree(long('L', 'n'.repeat(2 ** 20)), file('a')), 'extension'],
  ['FT-05 a pax header of 1 MiB', tree(pax({ comment: 'n'.repeat(2 ** 20) }), file('a')), 'extension'],
  ['FT-05 two long names for one entry', tree(long('L', 'a'), long('L', 'b'), file('c')), 'extension'],
  [
    'FT-05 a flood of name headers',
    tree(...Array.from({ length: 9 }, () => pax({ comment: 'x' })), file('a')),
    'extension',
  ],
  ['FT-05 a name header at the end', tree(long('L', 'a')), 'header'],
  ['FT-05 a single device', Buffer.concat([entry({ name: 'zero', type: '3' }), endMark]), 'not-a-file'],
  ['FT-05 a single link', Buffer.concat([symlink('a', 'b'), endMark]), 'not-a-file'],
  ['FT-07 a size in base 256 beyond all numbers', tree(entry({ name: 'a', size: base256(2n ** 60n) })), 'size'],
  ['FT-07 a negative size in base 256', tree(entry({ name: 'a', size: base256(-1n, 0xff) })), 'size'],
  ['FT-07 a size that is no number', tree(entry({ name: 'a', size: Buffer.from('-0000000001\0') })), 'size'],
  ['FT-07 a directory with content', tree(entry({ name: 'd', type: '5', size: 512 })), 'size'],
  ['FT-07 1 TiB', tree(entry({ name: 'a', size: base256(2n ** 40n) })), 'too-many-bytes'],
  [
    'FT-07 many files that are too large together',
    tree(file('a', 'x'.repeat(600_000)), file('b', 'x'.repeat(600_000))),
    'too-many-bytes',
  ],
  ['FT-07 too many entries', tree(...Array.from({ length: 120 }, (_, i) => directory(`d${i}`))), 'too-many-entries'],
  ['FT-07 too many links', tree(...Array.from({ length: 120 }, (_, i) => symlink(`d${i}`, 'x'))), 'too-many-entries'],
  ['FT-07 too deep', tree(...deep(40)), 'too-deep'],
  ['FT-07 a path of 100,000 levels', tree(long('L', 'd/'.repeat(1500)), file('cut')), 'too-deep'],
  ['FT-07 a name part that is too long', tree(long('L', 'n'.repeat(256)), file('cut')), 'name-too-long'],
  ['FT-08 gzip', Buffer.concat([Buffer.from('1f8b0800000000000003', 'hex'), Buffer.alloc(600, 7)]), 'compressed'],
  ['FT-08 a short gzip', Buffer.from('1f8b0800000000000003', 'hex'), 'compressed'],
  ['FT-08 xz', Buffer.concat([Buffer.from('fd377a585a00', 'hex'), Buffer.alloc(600, 7)]), 'compressed'],
  ['FT-08 zstd', Buffer.concat([Buffer.from('28b52ffd', 'hex'), Buffer.alloc(600, 7)]), 'compressed'],
  ['FT-08 bzip2', Buffer.concat([Buffer.from('BZh9'), Buffer.alloc(600, 7)]), 'compressed'],
  ['a checksum that is wrong', Buffer.concat([root, Buffer.alloc(512, 0x41), endMark]), 'header'],
  ['words instead of an archive', Buffer.from('tar: this is no archive\n'.repeat(40)), 'header'],
  ['entries after the first end mark', Buffer.concat([root, Buffer.alloc(512), file('a'), endMark]), 'header'],
  ['an archive that goes on after its end', Buffer.concat([tree(file('a')), Buffer.alloc(3 * 2 ** 20)]), 'trailer'],
  ['an empty archive', Buffer.concat([endMark]), 'not-a-file'],
  ['one name twice', tree(file('a'), file('a', 'other')), 'twice'],
  ['a file and a directory of one name', tree(file('a'), directory('a')), 'twice'],
  ['a second root', tree(directory('./')), 'second-root'],
  ['a second entry after a single file', Buffer.concat([file('a'), file('b'), endMark]), 'second-root'],
  ['a tree without its root', Buffer.concat([directory('a'), file('a/b'), endMark]), 'no-parent'],
];

const limits = { bytes: 1_000_000, entries: 100, depth: 30 };

describe('an archive that is refused', () => {
  it.each(refused)('%s leaves nothing behind', async (_title, archive, rule) => {
    const base = scratch();
    mkdirSync(join(base, 'out'));
    writeFileSync(join(base, 'outside'), 'old');
    const sandbox = printingSandbox(archive);
    const copy = copyOut(sandbox, { source: '/agent/tree', target: join(base, 'out', 'tree'), limits });
    await expect(copy).rejects.toMatchObject({ code: 'permission_denied', details: { rule } });
    expect([...snapshot(base).keys()].sort()).toEqual(['out', 'outside']);
    expect(readFileSync(join(base, 'outside'), 'utf8')).toBe('old');
    expect(sandbox.killed).toEqual(['SIGKILL']);
  });

  it.each(refused)('%s is refused in pieces of 7 bytes as well', async (_title, archive, rule) => {
    const base = scratch();
    const pieces = Array.from({ length: Math.min(Math.ceil(archive.length / 7), 4000) }, (_, i) =>
      archive.subarray(i * 7, i * 7 + 7),
    );
    const rest = archive.subarray(4000 * 7);
    const copy = copyOut(printingSandbox([...pieces, ...(rest.length > 0 ? [rest] : [])]), {
      source: '/agent/tree',
      target: join(base, 'tree'),
      limits,
    });
    await expect(copy).rejects.toMatchObject({ code: 'permission_denied', details: { rule } });
    expect(readdirSync(base)).toEqual([]);
  });

  it('names the entry with its control characters escaped', async () => {
    const base = scratch();
    const copy = copyOut(printingSandbox(tree(file('../\x1b[31m\u0007x\n'))), {
      source: '/t',
      target: join(base, 'tree'),
    });
    await expect(copy).rejects.toThrow('entry "../\\x1b[31m\\x07x\\n"');
  });
});

describe('an archive that breaks off', () => {
  const whole = tree(file('a', 'y'.repeat(700)), directory('d'));
  it.each([0, 1, 511, 512, 1024, 1200, 1536, 2560, whole.length - 1024, whole.length - 512])(
    'after %i bytes is unavailable and leaves nothing',
    async (bytes) => {
      const base = scratch();
      const copy = copyOut(printingSandbox(whole.subarray(0, bytes)), { source: '/t', target: join(base, 'tree') });
      await expect(copy).rejects.toMatchObject({ code: 'unavailable' });
      expect(readdirSync(base)).toEqual([]);
    },
  );

  it('is refused when it is whole and tar has failed', async () => {
    const base = scratch();
    await expect(
      copyOut(printingSandbox(whole, 1), { source: '/t', target: join(base, 'tree') }),
    ).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(readdirSync(base)).toEqual([]);
  });
});

describe('an archive that is accepted', () => {
  async function received(
    archive: Buffer,
    symlinks: 'skip' | 'inside' = 'skip',
  ): Promise<{ base: string; skipped: readonly { path: string; reason: string }[] }> {
    const base = scratch();
    const { skipped } = await copyOut(printingSandbox(archive), { source: '/t', target: join(base, 'tree'), symlinks });
    return { base, skipped };
  }

  it('FT-05 loses devices, pipes and links, which are listed', async () => {
    const { base, skipped } = await received(
      tree(
        entry({ name: 'null', type: '3' }),
        entry({ name: 'sda', type: '4' }),
        entry({ name: 'pipe', type: '6' }),
        symlink('l', 'a'),
        file('a'),
      ),
    );
    expect(skipped).toEqual([
      { path: 'null', reason: 'device' },
      { path: 'sda', reason: 'device' },
      { path: 'pipe', reason: 'named pipe' },
      { path: 'l', reason: 'link' },
    ]);
    expect([...snapshot(join(base, 'tree')).keys()]).toEqual(['a']);
  });

  it('FT-06 gets harmless modes, the owner of the service and the time of the copy', async () => {
    const before = Date.now() - 2000;
    const { base } = await received(
      tree(
        entry({ name: 'suid', mode: 0o6777, body: Buffer.from('x'), mtime: base256(253402300800n) }),
        entry({ name: 'plain', mode: 0o666 }),
        entry({ name: 'secret', mode: 0o000 }),
        entry({ name: 'sticky', type: '5', mode: 0o7777 }),
        file('sticky/a'),
        pax({ 'SCHILY.xattr.user.x': 'y', mtime: '99999999999999' }),
        file('x'),
      ),
    );
    const mode = (name: string): string => (lstatSync(join(base, 'tree', name)).mode & 0o7777).toString(8);
    expect(['suid', 'plain', 'secret', 'sticky', '.'].map(mode)).toEqual(['755', '644', '644', '755', '755']);
    for (const name of ['suid', 'x']) {
      const stats = lstatSync(join(base, 'tree', name));
      expect(stats.uid).toBe(process.getuid?.());
      expect(stats.mtimeMs).toBeGreaterThan(before);
      expect(stats.mtimeMs).toBeLessThan(Date.now() + 2000);
    }
  });

  it('FT-03 keeps, when asked, only links that cannot leave the tree', async () => {
    const { base, skipped } = await received(
      tree(
        directory('d'),
        directory('d/e'),
        file('d/e/real', 'r'),
        symlink('ok', 'd/e/real'),
        symlink('d/up', '../ok'),
        symlink('d/e/self', '.'),
        symlink('abs', '/etc/passwd'),
        symlink('out', '../x'),
        symlink('d/out', '../../x'),
        symlink('d/e/top', '../..'),
        symlink('chain', 'd/e/top/../outside'),
        symlink('sibling', '../tree-evil/x'),
        symlink('empty', ''),
      ),
      'inside',
    );
    expect(skipped.map(({ path }) => path)).toEqual(['abs', 'out', 'd/out', 'chain', 'sibling', 'empty']);
    expect(readFileSync(join(base, 'tree/d/up'), 'utf8')).toBe('r');
  });

  it('FT-02 makes links last, so that nothing is written through one', async () => {
    const base = scratch();
    const archive = tree(symlink('d', 'e'), directory('e'), directory('d'), file('d/x'));
    await expect(
      copyOut(printingSandbox(archive), { source: '/t', target: join(base, 'tree'), symlinks: 'inside' }),
    ).rejects.toMatchObject({ details: { rule: 'twice' } });
    expect(readdirSync(base)).toEqual([]);
  });

  it('FT-05 honours pax and GNU names that are harmless', async () => {
    const name = 'n'.repeat(200);
    const { base } = await received(
      tree(
        pax({ path: `./${name}`, size: '3' }),
        entry({ name: 'cut', size: 0 }),
        Buffer.concat([Buffer.from('abc'), Buffer.alloc(509)]),
        long('L', './\xff\xfe'),
        file('cut', 'z'),
      ),
    );
    expect(snapshot(join(base, 'tree'))).toEqual(
      new Map([
        [name, 'file abc'],
        ['\xff\xfe', 'file z'],
      ]),
    );
  });

  it('lists a thousand of three thousand links and counts the rest', async () => {
    const { skipped } = await received(tree(...Array.from({ length: 3000 }, (_, i) => symlink(`l${i}`, 'x'))));
    expect(skipped.length).toBe(1001);
    expect(skipped.at(-1)).toEqual({ path: '...', reason: '2000 more were left out' });
  });
});
