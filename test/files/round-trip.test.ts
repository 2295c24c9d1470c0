import fc from 'fast-check';
import { chmodSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyIn } from '../../src/files/copy-in.ts';
import { copyOut } from '../../src/files/copy-out.ts';
import { processSandbox } from './process-sandbox.ts';
import { busyboxPath, scratch, snapshot } from './scratch.ts';

/** Names as bytes, one character each. No backslash: the strict extractor refuses those. */
const odd = [
  '-rf',
  '--',
  '-',
  ' ',
  '\n',
  'a\nb',
  '"q"',
  "'",
  '$(id)',
  '`id`',
  '*',
  '?',
  '#',
  '~',
  ';',
  '&',
  '..x',
  '...',
  '.hidden',
  '\xc3\xa4\xe2\x82\xac',
  '\xff\xfe',
  'x'.repeat(255),
  'C',
  'a b',
];
const nameOf = fc
  .oneof(
    fc.constantFrom(...odd),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) =>
      Buffer.from(bytes)
        .toString('latin1')
        .replaceAll(/[/\0\\:]/g, '_'),
    ),
  )
  .filter((name) => name !== '.' && name !== '..');

interface Node {
  readonly name: string;
  readonly program: boolean;
  readonly content: Uint8Array | readonly Node[];
}

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    name: nameOf,
    program: fc.boolean(),
    content: fc.oneof(
      { depthSize: 'small' },
      fc.uint8Array({ maxLength: 3000, size: 'max' }),
      fc.array(tie('node'), { maxLength: 5 }),
    ),
  }),
}));

function build(directory: Buffer, nodes: readonly Node[]): void {
  const seen = new Set<string>();
  for (const { name, program, content } of nodes) {
    if (seen.has(name)) continue;
    seen.add(name);
    const path = Buffer.concat([directory, Buffer.from(`/${name}`, 'latin1')]);
    if (content instanceof Uint8Array) {
      writeFileSync(path, content);
      chmodSync(path, program ? 0o755 : 0o644);
    } else {
      mkdirSync(path);
      build(path, content);
    }
  }
}

const tools = [
  ['GNU tar', () => '/usr/bin:/bin'],
  ['BusyBox', busyboxPath],
] as const;

describe.each(tools)('FT-14 with %s', (_name, pathOf) => {
  it('any tree comes back byte for byte', async () => {
    const sandbox = processSandbox(pathOf(scratch()));
    const base = scratch();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(node, { maxLength: 8 }), async (nodes) => {
        const at = join(base, String(run++));
        mkdirSync(join(at, 'source'), { recursive: true });
        build(Buffer.from(join(at, 'source')), nodes);
        const up = await copyIn(sandbox, { source: join(at, 'source'), target: join(at, 'inside') });
        const down = await copyOut(sandbox, { source: join(at, 'inside'), target: join(at, 'back') });
        const before = snapshot(join(at, 'source'));
        expect(snapshot(join(at, 'inside'))).toEqual(before);
        expect(snapshot(join(at, 'back'))).toEqual(before);
        expect(down).toEqual(up);
      }),
      { numRuns: 12 },
    );
  }, 60_000);

  // Paths of callers are text; names in other bytes only occur inside trees.
  it.each(odd.filter((name) => /^[\x00-\x7f]+$/.test(name)))('a single file named %j goes both ways', async (name) => {
    const sandbox = processSandbox(pathOf(scratch()));
    const base = scratch();
    for (const directory of ['source', 'inside', 'back']) mkdirSync(join(base, directory));
    writeFileSync(join(base, 'source', name), `content of ${name}`);
    await copyIn(sandbox, { source: join(base, 'source', name), target: join(base, 'inside') });
    await copyIn(sandbox, { source: join(base, 'source', name), target: join(base, 'inside', 'renamed') });
    await copyOut(sandbox, { source: join(base, 'inside', name), target: join(base, 'back') });
    expect([...snapshot(join(base, 'inside')).keys()].sort()).toEqual([name, 'renamed'].sort());
    expect(snapshot(join(base, 'back'))).toEqual(new Map([[name, `file content of ${name}`]]));
  });

  it('a file of every size around the edges of blocks and chunks arrives whole', async () => {
    const sandbox = processSandbox(pathOf(scratch()));
    const base = scratch();
    mkdirSync(join(base, 'source'));
    const sizes = [0, 1, 511, 512, 513, 262_143, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577, 3_000_001];
    for (const size of sizes) writeFileSync(join(base, 'source', String(size)), Buffer.alloc(size, String(size)));
    const up = await copyIn(sandbox, { source: join(base, 'source'), target: join(base, 'inside') });
    await copyOut(sandbox, { source: join(base, 'inside'), target: join(base, 'back') });
    expect(up.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
    expect(snapshot(join(base, 'back'))).toEqual(snapshot(join(base, 'source')));
    expect(snapshot(join(base, 'inside'))).toEqual(snapshot(join(base, 'source')));
  });

  it('a deep path that needs long names arrives', async () => {
    const sandbox = processSandbox(pathOf(scratch()));
    const base = scratch();
    const deep = join(base, 'source', ...Array.from({ length: 12 }, (_, i) => `${i}`.repeat(100)));
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'leaf'), 'x');
    symlinkSync(`${'../'.repeat(12)}${'t'.repeat(150)}`, join(deep, 'link'));
    await copyIn(sandbox, { source: join(base, 'source'), target: join(base, 'inside') });
    const down = await copyOut(sandbox, {
      source: join(base, 'inside'),
      target: join(base, 'back'),
      symlinks: 'inside',
    });
    expect(down).toMatchObject({ files: 1, directories: 13, skipped: [] });
    expect(snapshot(join(base, 'back'))).toEqual(snapshot(join(base, 'source')));
  });

  it('times and modes go up, without set-user-id bits', async () => {
    const sandbox = processSandbox(pathOf(scratch()));
    const base = scratch();
    writeFileSync(join(base, 'source'), 'x');
    chmodSync(join(base, 'source'), 0o6741);
    await copyIn(sandbox, { source: join(base, 'source'), target: join(base, 'inside') });
    const [before, after] = [lstatSync(join(base, 'source')), lstatSync(join(base, 'inside'))];
    expect((after.mode & 0o7777).toString(8)).toBe('741');
    expect(Math.floor(after.mtimeMs / 1000)).toBe(Math.floor(before.mtimeMs / 1000));
  });
});
