import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { bytesOf, refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

const digest = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export function fileCases(suite: Suite): void {
  readCases(suite);
  writeCases(suite);
}

function readCases(suite: Suite): void {
  suite.placeTest('files.read.whole', 'reads any bytes, with their size and digest', async (place) => {
    const { task } = place;
    const path = `${await place.directory()}/a "file" $(x)`;
    const bytes = Buffer.concat([randomBytes(300_000), Buffer.from([0, 255, 10, 13])]);
    await place.agent.files.write({ task, path, bytes });
    const read = await place.other.files.read({ task, path });
    expect([read.size, read.sha256, Buffer.from(read.bytes).equals(bytes)]).toEqual([300_004, digest(bytes), true]);
  });

  suite.placeTest('files.read.range', 'reads a part, and nothing behind the end', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/f`;
    await agent.files.write({ task, path, bytes: '0123456789' });
    const part = await agent.files.read({ task, path, offset: 3, length: 4 });
    expect([Buffer.from(part.bytes).toString(), part.size, part.sha256]).toEqual(['3456', 10, null]);
    expect((await agent.files.read({ task, path, offset: 20 })).bytes).toHaveLength(0);
    expect(Buffer.from((await agent.files.read({ task, path, offset: 8 })).bytes).toString()).toBe('89');
  });

  suite.test('files.read.empty', 'reads a file without a byte', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/f`;
    await agent.files.write({ task, path, bytes: '' });
    expect(await agent.files.read({ task, path })).toMatchObject({ size: 0, sha256: digest('') });
  });

  suite.test('files.read.too-much', 'refuses to read more than 16 MiB at a time', async (place) => {
    const { task } = place;
    const path = `${await place.directory()}/f`;
    await place.agent.files.write({ task, path, bytes: 'x' });
    await refused(place.agent.files.read({ task, path, length: 16 * 2 ** 20 + 1 }), 'invalid_argument');
  });

  suite.placeTest('files.read.relative', 'starts a relative path where commands start', async (place) => {
    const task = await place.fresh();
    const { stdout } = await place.agent.run({ taskId: task, command: ['pwd', '-P'] });
    const name = place.name('relative');
    await place.agent.files.write({ task, path: name, bytes: 'here' });
    const path = `${stdout.text.trim()}/${name}`;
    expect(Buffer.from((await place.agent.files.read({ task, path })).bytes).toString()).toBe('here');
    await place.agent.files.remove({ task, path });
  });

  suite.placeTest('files.stream.parts', 'reads a file of 9 MiB in parts', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/large`;
    const bytes = randomBytes(9 * 2 ** 20);
    await agent.files.write({ task, path, bytes });
    const { size, parts } = await agent.files.stream({ task, path });
    expect([size, digest(await bytesOf(parts))]).toEqual([bytes.length, digest(bytes)]);
  });

  suite.test('files.stream.small', 'gives the digest of a small file at once', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/small`;
    await agent.files.write({ task, path, bytes: 'small' });
    const { size, sha256, parts } = await agent.files.stream({ task, path });
    expect([size, sha256, (await bytesOf(parts)).toString()]).toEqual([5, digest('small'), 'small']);
  });

  suite.test('files.stream.missing', 'has nothing of a file that is not there', async (place) => {
    await refused(place.agent.files.stream({ task: place.task, path: '/no/such/file' }), 'not_found');
  });

  suite.placeTest(
    'files.stat.kinds',
    'tells files, directories and links apart, with size, mode and time',
    async (place) => {
      const { task, agent } = place;
      const dir = await place.directory();
      await place.sh(`cd ${dir} && printf 12345 >f && chmod 640 f && mkdir d && ln -s f l`);
      const stat = (name: string) => agent.files.stat({ task, path: `${dir}/${name}` });
      expect(await stat('f')).toMatchObject({ name: 'f', kind: 'file', size: 5, mode: 0o640 });
      expect(await stat('d')).toMatchObject({ name: 'd', kind: 'directory' });
      expect(await stat('l')).toMatchObject({ name: 'l', kind: 'symlink', target: 'f' });
      const { modifiedAt } = await stat('f');
      expect(Math.abs(Date.parse(modifiedAt) - Date.now())).toBeLessThan(600_000);
      await refused(stat('none'), 'not_found');
    },
  );

  suite.placeTest('files.list.order', 'lists names of any characters in their order', async (place) => {
    const { task, agent } = place;
    const dir = await place.directory();
    for (const name of ['b.txt', '.hidden', 'sub/c.txt', '-rf', 'new\nline', 'é世界'])
      await agent.files.write({ task, path: `${dir}/${name}`, bytes: 'x' });
    const { entries, truncated } = await agent.files.list({ task, path: dir });
    expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
      ...[['-rf', 'file'] as const, ['.hidden', 'file'] as const, ['b.txt', 'file'] as const],
      ...[['new\nline', 'file'] as const, ['sub', 'directory'] as const, ['é世界', 'file'] as const],
    ]);
    expect(truncated).toBe(false);
  });

  suite.test('files.list.refused', 'lists no file, and nothing that is not there', async (place) => {
    const { task, agent } = place;
    await refused(agent.files.list({ task, path: '/etc/hosts' }), 'failed_precondition');
    await refused(agent.files.list({ task, path: '/no/such/directory' }), 'not_found');
  });

  suite.placeTest('files.search.text', 'finds lines with a text in files of a name', async (place) => {
    const { task, agent } = place;
    const dir = await place.directory();
    await agent.files.write({ task, path: `${dir}/a.txt`, bytes: 'one\nneedle (1)\n' });
    await agent.files.write({ task, path: `${dir}/sub/b.txt`, bytes: 'needle (2)\n' });
    await agent.files.write({ task, path: `${dir}/c.md`, bytes: 'needle (3)\n' });
    const found = await agent.files.search({ task, path: dir, pattern: 'needle (', name: '*.txt' });
    const matches = found.matches.map(({ path, line, text }) => [path.slice(dir.length), line, text]);
    expect(matches).toHaveLength(2);
    expect(matches).toEqual(
      expect.arrayContaining([
        ['/a.txt', 2, 'needle (1)'],
        ['/sub/b.txt', 1, 'needle (2)'],
      ]),
    );
    expect([found.truncated, found.withheld]).toEqual([false, 0]);
  });

  suite.placeTest(
    'files.search.regex',
    'takes an extended regular expression when that is asked for',
    async (place) => {
      const { task, agent } = place;
      const path = await place.directory();
      await agent.files.write({ task, path: `${path}/f`, bytes: 'cat\ncot\ncut\ndog\n' });
      const search = async (more: object) =>
        (await agent.files.search({ task, path, pattern: 'c[ao]t', ...more })).matches;
      expect((await search({ regex: true })).map(({ text }) => text)).toEqual(['cat', 'cot']);
      expect(await search({})).toEqual([]);
      await refused(agent.files.search({ task, path, pattern: '(', regex: true }), 'invalid_argument');
    },
  );

  suite.test('files.search.most', 'says when there is more than was asked for', async (place) => {
    const { task, agent } = place;
    const path = await place.directory();
    await agent.files.write({ task, path: `${path}/f`, bytes: 'x\n'.repeat(20) });
    const { matches, truncated } = await agent.files.search({ task, path, pattern: 'x', most: 5 });
    expect([matches.length, truncated]).toEqual([5, true]);
  });
}

function writeCases(suite: Suite): void {
  suite.placeTest(
    'files.write.made',
    'makes a file with its directories, and answers its size and digest',
    async (place) => {
      const { task } = place;
      const path = `${await place.directory()}/deep/er/f`;
      const bytes = new Uint8Array([1, 2, 3]);
      expect(await place.agent.files.write({ task, path, bytes })).toEqual({ size: 3, sha256: digest(bytes) });
      expect((await place.sh(`cksum <${path}`)).stdout.text).toMatch(/^\d+ 3\n$/);
    },
  );

  suite.placeTest('files.write.mode', 'leaves the mode of a file that is there', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/program`;
    await place.sh(`echo old >${path}; chmod 750 ${path}`);
    await agent.files.write({ task, path, bytes: 'new' });
    expect(await agent.files.stat({ task, path })).toMatchObject({ size: 3, mode: 0o750 });
  });

  suite.test(
    'files.write.expected',
    'writes only over what was expected, and leaves the old file otherwise',
    async (place) => {
      const { task, agent } = place;
      const path = `${await place.directory()}/f`;
      await agent.files.write({ task, path, bytes: 'one', expected: null });
      await refused(agent.files.write({ task, path, bytes: 'two', expected: null }), 'conflict');
      await refused(agent.files.write({ task, path, bytes: 'two', expected: digest('x') }), 'conflict');
      expect(Buffer.from((await agent.files.read({ task, path })).bytes).toString()).toBe('one');
      await agent.files.write({ task, path, bytes: 'two', expected: digest('one') });
      expect(Buffer.from((await agent.files.read({ task, path })).bytes).toString()).toBe('two');
    },
  );

  suite.placeTest('files.write.large', 'takes 20 MiB at once', async (place) => {
    const { task } = place;
    const path = `${await place.directory()}/large`;
    const bytes = new Uint8Array(20 * 2 ** 20).fill(7);
    expect(await place.agent.files.write({ task, path, bytes })).toEqual({ size: bytes.length, sha256: digest(bytes) });
    expect((await place.sh(`wc -c <${path}`)).stdout.text.trim()).toBe(String(bytes.length));
  });

  suite.placeTest('files.patch.edits', 'replaces exact texts, as a whole or not at all', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/code.ts`;
    await agent.files.write({ task, path, bytes: 'let a = 1;\nlet b = 2;\n' });
    const edited = await agent.files.patch({ task, path, edits: [{ find: 'a = 1', replace: 'a = 3' }] });
    expect(edited.sha256).toBe(digest('let a = 3;\nlet b = 2;\n'));
    const halfway = [
      { find: 'a = 3', replace: 'x' },
      { find: 'nowhere', replace: 'x' },
    ];
    await refused(agent.files.patch({ task, path, edits: halfway }), 'invalid_argument');
    await refused(agent.files.patch({ task, path, edits: [{ find: 'let', replace: 'x' }] }), 'invalid_argument');
    expect((await agent.files.read({ task, path })).sha256).toBe(edited.sha256);
    const all = await agent.files.patch({ task, path, edits: [{ find: 'let', replace: 'var', all: true }] });
    expect(all.sha256).toBe(digest('var a = 3;\nvar b = 2;\n'));
  });

  suite.test('files.patch.diff', 'applies a unified diff', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/code.ts`;
    await agent.files.write({ task, path, bytes: 'let a = 3;\nlet b = 2;\n' });
    const diff = '--- a\n+++ b\n@@ -1,2 +1,3 @@\n let a = 3;\n+// é\n let b = 2;\n';
    expect((await agent.files.patch({ task, path, diff })).sha256).toBe(digest('let a = 3;\n// é\nlet b = 2;\n'));
    await refused(agent.files.patch({ task, path, diff: diff.replace('a = 3', 'a = 4') }), 'invalid_argument');
  });

  suite.test('files.patch.missing', 'has nothing to change of a file that is not there', async (place) => {
    const path = `${await place.directory()}/none`;
    await refused(
      place.agent.files.patch({ task: place.task, path, edits: [{ find: 'a', replace: 'b' }] }),
      'not_found',
    );
  });

  suite.placeTest('files.move.moved', 'moves a file, over another one only when that is asked for', async (place) => {
    const { task, agent } = place;
    const dir = await place.directory();
    await agent.files.write({ task, path: `${dir}/a`, bytes: 'a' });
    await agent.files.write({ task, path: `${dir}/b`, bytes: 'b' });
    await refused(agent.files.move({ task, path: `${dir}/a`, to: `${dir}/b` }), 'already_exists');
    await agent.files.move({ task, path: `${dir}/a`, to: `${dir}/b`, replace: true });
    const { entries } = await agent.files.list({ task, path: dir });
    expect(entries.map(({ name }) => name)).toEqual(['b']);
    expect(Buffer.from((await agent.files.read({ task, path: `${dir}/b` })).bytes).toString()).toBe('a');
    await refused(agent.files.move({ task, path: `${dir}/a`, to: `${dir}/c` }), 'not_found');
  });

  suite.placeTest(
    'files.remove.removed',
    'removes a file, and a directory with what is in it only when that is asked for',
    async (place) => {
      const { task, agent } = place;
      const dir = await place.directory();
      await agent.files.write({ task, path: `${dir}/sub/f`, bytes: 'x' });
      await agent.files.write({ task, path: `${dir}/f`, bytes: 'x' });
      await refused(agent.files.remove({ task, path: `${dir}/sub` }), 'failed_precondition');
      await agent.files.remove({ task, path: `${dir}/sub`, recursive: true });
      await agent.files.remove({ task, path: `${dir}/f` });
      expect((await agent.files.list({ task, path: dir })).entries).toEqual([]);
      await refused(agent.files.remove({ task, path: `${dir}/f` }), 'not_found');
    },
  );
}
