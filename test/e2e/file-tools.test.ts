import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Home, makeHome } from './home.ts';
import { openPlaces } from './places.ts';

const places = await openPlaces();
afterAll(() => places.stop());

const digest = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A directory of our own in the sandbox. */
async function open(home: Home, backend: string): Promise<{ readonly caisson: Caisson; readonly dir: string }> {
  const caisson = await places.open(home, backend);
  const { stdout } = await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'mktemp -d /tmp/file-tools-XXXXXX'] });
  return { caisson, dir: stdout.text.trim() };
}

describe.each(places.backends)('file tools on %s', (backend) => {
  const task = 'demo';

  it('write and read files of any bytes, whole and in ranges', async () => {
    await using home = await makeHome();
    const { caisson, dir } = await open(home, backend);
    const { files } = caisson;
    const bytes = Buffer.concat([randomBytes(300_000), Buffer.from([0, 255, 10, 13])]);
    const path = `${dir}/deep/er/a "file" $(x)`;
    expect(await files.write({ task, path, bytes })).toEqual({ size: bytes.length, sha256: digest(bytes) });
    const read = await files.read({ task, path });
    expect(read).toMatchObject({ size: bytes.length, sha256: digest(bytes) });
    expect(read.bytes.equals(bytes)).toBe(true);
    const part = await files.read({ task, path, offset: 299_999, length: 3 });
    expect([part.bytes.equals(bytes.subarray(299_999, 300_002)), part.sha256]).toEqual([true, null]);
    expect((await files.read({ task, path, offset: 400_000 })).bytes).toHaveLength(0);
    await caisson.run({ taskId: task, command: ['chmod', '750', path] });
    await files.write({ task, path, bytes: '' });
    expect(await files.stat({ task, path })).toMatchObject({
      kind: 'file',
      size: 0,
      mode: 0o750,
      name: 'a "file" $(x)',
    });
    await caisson.close();
  });

  it('show what a write changes where it is asked about, and write it over that file alone', async () => {
    await using home = await makeHome();
    const diffs: (string | null)[] = [];
    let meanwhile = async (): Promise<unknown> => await Promise.resolve();
    const caisson = await places.open(home, backend, {
      config: 'tasks: {demo: {rules: {ask: ["write_file"]}}}\n',
      approver: async ({ diff }) => {
        diffs.push(diff);
        await meanwhile();
        return 'once';
      },
    });
    const { files } = caisson;
    const run = async (text: string) => (await caisson.run({ taskId: task, command: ['sh', '-c', text] })).stdout.text;
    const dir = (await run('mktemp -d /tmp/file-tools-XXXXXX')).trim();
    const path = `${dir}/deep/a`;
    await files.write({ task, path, bytes: 'one\ntwo\n' });
    await files.patch({ task, path, edits: [{ find: 'two', replace: '2' }] });
    expect(diffs).toEqual(['a new file\n@@ -0,0 +1,2 @@\n+one\n+two', '@@ -1,2 +1,2 @@\n one\n-two\n+2']);
    meanwhile = async () => await run(`echo other > ${path}`);
    await expect(files.write({ task, path, bytes: 'mine\n' })).rejects.toMatchObject({ code: 'conflict' });
    expect(await run(`cat ${path}`)).toBe('other\n');
    meanwhile = async () => await Promise.resolve();
    await run(`head -c 2000000 /dev/zero > ${path}`);
    await files.write({ task, path, bytes: 'small\n' });
    expect(diffs.at(-1)).toMatch(/^too large to be compared: 2000000 bytes before/);
    expect(await run(`cat ${path}`)).toBe('small\n');
    await caisson.close();
  });

  it('write only over what was expected, and leave the old file otherwise', async () => {
    await using home = await makeHome();
    const { caisson, dir } = await open(home, backend);
    const { files } = caisson;
    const path = `${dir}/f`;
    await files.write({ task, path, bytes: 'one', expected: null });
    await expect(files.write({ task, path, bytes: 'two', expected: null })).rejects.toMatchObject({ code: 'conflict' });
    await expect(files.write({ task, path, bytes: 'two', expected: digest('x') })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect((await files.read({ task, path })).bytes.toString()).toBe('one');
    await files.write({ task, path, bytes: 'two', expected: digest('one') });
    expect((await files.list({ task, path: dir })).entries.map(({ name }) => name)).toEqual(['f']);
    await caisson.close();
  });

  it('patch by exact text and by unified diff, as a whole or not at all', async () => {
    await using home = await makeHome();
    const { caisson, dir } = await open(home, backend);
    const { files } = caisson;
    const path = `${dir}/code.ts`;
    await files.write({ task, path, bytes: 'let a = 1;\nlet b = 2;\n' });
    const edited = await files.patch({ task, path, edits: [{ find: 'a = 1', replace: 'a = 3' }] });
    expect(edited.sha256).toBe(digest('let a = 3;\nlet b = 2;\n'));
    await files.patch({ task, path, diff: '--- a\n+++ b\n@@ -1,2 +1,3 @@\n let a = 3;\n+// é\n let b = 2;\n' });
    const halfway = files.patch({
      task,
      path,
      edits: [
        { find: 'a = 3', replace: 'x' },
        { find: 'nowhere', replace: 'x' },
      ],
    });
    await expect(halfway).rejects.toMatchObject({ code: 'invalid_argument' });
    expect((await files.read({ task, path })).bytes.toString()).toBe('let a = 3;\n// é\nlet b = 2;\n');
    await caisson.close();
  });

  it('list, move, remove and search', async () => {
    await using home = await makeHome();
    const { caisson, dir } = await open(home, backend);
    const { files } = caisson;
    for (const name of ['b.txt', '.hidden', 'sub/c.txt', '-rf', 'new\nline'])
      await files.write({ task, path: `${dir}/${name}`, bytes: `needle in ${name}\n` });
    await caisson.run({ taskId: task, command: ['ln', '-s', 'b.txt', `${dir}/link`] });
    const { entries, truncated } = await files.list({ task, path: dir });
    expect(entries.map(({ name, kind }) => [name, kind])).toEqual([
      ...[
        ['-rf', 'file'],
        ['.hidden', 'file'],
        ['b.txt', 'file'],
        ['link', 'symlink'],
        ['new\nline', 'file'],
        ['sub', 'directory'],
      ],
    ]);
    expect(truncated).toBe(false);
    expect(await files.stat({ task, path: `${dir}/link` })).toMatchObject({ kind: 'symlink', target: 'b.txt' });
    const found = await files.search({ task, path: dir, pattern: 'needle in', name: '*.txt' });
    expect(found.matches.map(({ path, line }) => `${path.slice(dir.length)}:${line}`).toSorted()).toEqual([
      '/b.txt:1',
      '/sub/c.txt:1',
    ]);
    expect((await files.search({ task, path: dir, pattern: 'n[e]+dle in [-.]', regex: true })).matches).toHaveLength(2);
    expect(await files.search({ task, path: dir, pattern: 'n.+dle' })).toEqual({
      matches: [],
      truncated: false,
      withheld: 0,
    });
    await expect(files.search({ task, path: dir, pattern: '(', regex: true })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(files.move({ task, path: `${dir}/b.txt`, to: `${dir}/-rf` })).rejects.toMatchObject({
      code: 'already_exists',
    });
    await files.move({ task, path: `${dir}/b.txt`, to: `${dir}/-rf`, replace: true });
    await expect(files.remove({ task, path: `${dir}/sub` })).rejects.toMatchObject({ code: 'failed_precondition' });
    await files.remove({ task, path: `${dir}/sub`, recursive: true });
    await files.remove({ task, path: `${dir}/link` });
    expect((await files.list({ task, path: dir })).entries.map(({ name }) => name)).toEqual([
      '-rf',
      '.hidden',
      'new\nline',
    ]);
    await caisson.close();
  });

  it('tell what is wrong with a path, and refuse protected places and credential files, on record (CF-09)', async () => {
    await using home = await makeHome();
    const { caisson, dir } = await open(home, backend);
    const { files } = caisson;
    for (const [path, code] of [
      [`${dir}/none`, 'not_found'],
      [dir, 'failed_precondition'],
      ['relative', 'not_found'],
      ['', 'invalid_argument'],
      ['/dev/null', 'invalid_argument'],
    ] as const)
      await expect(files.read({ task, path })).rejects.toMatchObject({ code });
    await expect(files.remove({ task, path: '/', recursive: true })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    const guarded = backend === 'local' ? join(home.path, 'config.yaml') : '/root/.caisson/config.yaml';
    const code = backend === 'local' ? 'policy_denied' : 'approval_required';
    await expect(files.write({ task, path: guarded, bytes: 'x' })).rejects.toMatchObject({ code });
    const records = await Array.fromAsync(caisson.audit.tail({ count: 50 }));
    expect(records.filter((record) => record.type === 'decision' && record['kind'] === 'file')).toHaveLength(1);
    await caisson.close();
  });

  it('keep to rules, whatever links and directories stand between', async () => {
    await using home = await makeHome();
    const rules = '{deny: ["write_file(.env*)", "read_file(secret/**)", "read_file(/**/hidden/*)"]}';
    const caisson = await places.open(home, backend, { config: `tasks: {demo: {rules: ${rules}}}\n` });
    const make = `cd "$(mktemp -d /tmp/file-tools-XXXXXX)" && mkdir -p hidden conf new/x && echo needle >hidden/a &&
      cp hidden/a b && ln -s hidden way && touch conf/.env && ln -s conf/.env innocent && ln -s x x && pwd -P`;
    const { stdout } = await caisson.run({ taskId: task, command: ['sh', '-c', make] });
    const dir = stdout.text.trim();
    const { files } = caisson;
    const denied = { code: 'policy_denied' };
    await expect(files.read({ task, path: `${dir}/way/a` })).rejects.toMatchObject(denied);
    await expect(files.read({ task, path: `${dir}/x` })).rejects.toMatchObject(denied);
    for (const path of [`${dir}/innocent`, `${dir}/new/y/z/.env.local`])
      await expect(files.write({ task, path, bytes: 'x' })).rejects.toMatchObject(denied);
    await expect(files.remove({ task, path: `${dir}/conf`, recursive: true })).rejects.toMatchObject(denied);
    await expect(files.move({ task, path: `${dir}/conf`, to: `${dir}/gone` })).rejects.toMatchObject(denied);
    await expect(files.move({ task, path: `${dir}/b`, to: `${dir}/new/.env` })).rejects.toMatchObject(denied);
    expect(await files.search({ task, path: `${dir}/.`, pattern: 'needle' })).toMatchObject({
      matches: [{ path: `${dir}/b` }],
      withheld: 1,
    });
    await files.write({ task, path: `${dir}/new/y/z/fine\nname`, bytes: 'x' });
    await files.move({ task, path: `${dir}/new`, to: `${dir}/newer` });
    await files.remove({ task, path: `${dir}/innocent` });
    expect((await files.read({ task, path: `${dir}/newer/y/z/fine\nname` })).bytes.toString()).toBe('x');
    expect((await files.list({ task, path: dir })).entries.map(({ name }) => name)).toEqual([
      ...['b', 'conf', 'hidden', 'newer', 'way', 'x'],
    ]);
    await caisson.close();
  });
});
