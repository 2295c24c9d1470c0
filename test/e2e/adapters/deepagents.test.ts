/** Each member of the adapter of deepagents with the real package, as its own suite checks backends. */
import { beforeAll, expect, it } from 'vitest';
import { type DeepAgentsSandbox, make } from '../../../src/adapters/deepagents.ts';
import { onEachBackend } from './ground.ts';

onEachBackend('deepagents', ({ caisson, modules }) => {
  let sandbox: DeepAgentsSandbox;
  let cwd: string;
  beforeAll(async () => {
    sandbox = await make(modules().deepagents, caisson(), { taskId: 'deep', timeoutMs: 3000 });
    cwd = (await sandbox.execute('mktemp -d')).output.trim();
  });

  it('is a BaseSandbox with the id of the sandbox', async () => {
    const { BaseSandbox } = Object(modules().deepagents);
    expect(sandbox).toBeInstanceOf(BaseSandbox);
    expect(sandbox.id).toBe((await caisson().sandboxes.get('deep')).id);
  });

  it('gives output of both streams, the exit code, and a timeout that says so', async () => {
    expect(await sandbox.execute('echo out; echo error >&2; exit 3')).toEqual({
      output: 'out\nerror\n',
      exitCode: 3,
      truncated: false,
    });
    const late = await sandbox.execute('echo begun; sleep 60');
    expect(late).toMatchObject({ exitCode: 124, output: expect.stringMatching(/^begun\n[\s\S]*caisson: .*killed/) });
    expect(await sandbox.execute('mkfifo p')).toMatchObject({
      exitCode: 126,
      output: expect.stringContaining('mkfifo'),
    });
    expect((await sandbox.execute('i=0; while [ $i -lt 30000 ]; do echo 0123456789; i=$((i+1)); done')).truncated).toBe(
      true,
    );
  });

  it('writes into new directories, reads windows of lines, and images as bytes', async () => {
    expect(await sandbox.write(`${cwd}/new/a b/f.txt`, 'one\ntwo 世界\nthree\n')).toEqual({
      path: `${cwd}/new/a b/f.txt`,
      filesUpdate: null,
    });
    expect(await sandbox.read(`${cwd}/new/a b/f.txt`, 1, 1)).toEqual({
      content: 'two 世界',
      mimeType: 'text/plain',
      totalLines: 3,
      startLine: 2,
      endLine: 2,
      nextOffset: 2,
    });
    const png = Buffer.from([137, 80, 78, 71, 0, 255]);
    await sandbox.write(`${cwd}/i.png`, png.toString('base64'));
    expect(await sandbox.read(`${cwd}/i.png`)).toMatchObject({ mimeType: 'image/png', content: expect.anything() });
    const raw = await sandbox.readRaw(`${cwd}/i.png`);
    expect(Buffer.from(Object(raw.data).content).equals(png)).toBe(true);
    await sandbox.uploadFiles([[`${cwd}/bin`, new Uint8Array([0, 255])]]);
    expect((await sandbox.read(`${cwd}/bin`)).mimeType).toBe('application/octet-stream');
  });

  it('tells missing files, directories and wrong paths apart', async () => {
    const paths = [`${cwd}/f.txt`, `${cwd}/no`, cwd, `${cwd}/x\0y`];
    await sandbox.write(`${cwd}/f.txt`, 'x');
    const found = await sandbox.downloadFiles(paths);
    expect(found.map(({ error }) => error)).toEqual([null, 'file_not_found', 'is_directory', 'invalid_path']);
    const sent = await sandbox.uploadFiles([
      [`${cwd}/g`, new Uint8Array()],
      [cwd, new Uint8Array()],
    ]);
    expect(sent.map(({ error }) => error)).toEqual([null, 'is_directory']);
    expect(await sandbox.read(`${cwd}/no`)).toEqual({ error: expect.stringContaining('there is no') });
    expect(await sandbox.ls(`${cwd}/no`)).toEqual({ error: expect.stringContaining('there is no') });
  });

  it('edits one place or all, and refuses what is not there or is there twice', async () => {
    const path = `${cwd}/e.txt`;
    await sandbox.write(path, 'a b a');
    expect(await sandbox.edit(path, 'b', 'c')).toMatchObject({ path, occurrences: 1 });
    expect(await sandbox.edit(path, 'a', 'x')).toEqual({ error: expect.anything() });
    expect(await sandbox.edit(path, 'a', 'x', true)).toMatchObject({ occurrences: 2 });
    expect(await sandbox.edit(path, 'zzz', 'x')).toEqual({ error: expect.anything() });
    expect((await sandbox.read(path)).content).toBe('x c x');
    await sandbox.write(path, '');
    expect(await sandbox.edit(path, '', 'made')).toMatchObject({ occurrences: 1 });
    expect((await sandbox.read(path)).content).toBe('made');
  });

  it('lists, searches and globs', async () => {
    await sandbox.execute(
      `mkdir -p '${cwd}/tree/sub' && cd '${cwd}/tree' && echo needle >sub/a.py && echo needle >b.txt`,
    );
    const { files = [] } = await sandbox.ls(`${cwd}/tree`);
    expect(files).toMatchObject([
      { path: `${cwd}/tree/b.txt`, size: 7 },
      { path: `${cwd}/tree/sub/`, is_dir: true },
    ]);
    const names = async (pattern: string) =>
      (await sandbox.glob(pattern, `${cwd}/tree`)).files?.map(({ path }) => path).sort();
    expect(await names('**/*.py')).toEqual(['sub/a.py']);
    expect(await names('*')).toEqual(['b.txt', 'sub']);
    expect(await names('**')).toEqual(['b.txt', 'sub', 'sub/a.py']);
    const grep = await sandbox.grep('needle', `${cwd}/tree`, '*.py');
    expect(grep).toEqual({ matches: [{ path: `${cwd}/tree/sub/a.py`, line: 1, text: 'needle' }], truncated: false });
    expect((await sandbox.grep('needle', `${cwd}/tree`, null, 1)).truncated).toBe(true);
    expect(await sandbox.delete(`${cwd}/tree`)).toMatchObject({ path: `${cwd}/tree` });
    expect(await sandbox.delete(`${cwd}/tree`)).toEqual({ error: expect.stringContaining('there is no') });
  });
});
