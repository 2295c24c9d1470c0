/** Each member of a session of the AI SDK, with the real package. */
import { beforeAll, expect, it } from 'vitest';
import { type AiSandbox, make } from '../../../src/adapters/ai.ts';
import { onEachBackend } from './ground.ts';

onEachBackend('ai', ({ caisson, modules }) => {
  let sandbox: AiSandbox;
  let dir: string;
  beforeAll(async () => {
    sandbox = await make(modules().ai, caisson(), { taskId: 'ai' });
    dir = (await sandbox.run({ command: 'mktemp -d' })).stdout.trim();
  });
  const text = async (stream: ReadableStream<Uint8Array>): Promise<string> => await new Response(stream).text();

  it('runs with a directory, variables and both streams', async () => {
    const input = { command: 'pwd; echo "$A" >&2; exit 4', workingDirectory: dir, env: { A: '世界' } };
    expect(await sandbox.run(input)).toEqual({ exitCode: 4, stdout: `${dir}\n`, stderr: '世界\n' });
    await expect(sandbox.run({ command: 'mkfifo p' })).rejects.toMatchObject({ code: 'policy_denied' });
  });

  it('rejects with the reason of its signal, and the command is gone', async () => {
    const stop = new AbortController();
    const running = sandbox.run({ command: `sleep 61; touch ${dir}/late`, abortSignal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 500);
    await expect(running).rejects.toThrow('enough');
    expect((await sandbox.run({ command: 'ps ax 2>/dev/null | grep -c "[s]leep 61"' })).stdout).toBe('0\n');
  });

  it('spawns with and without stdin, streams 10 MiB, and kills', async () => {
    const process = await sandbox.spawn({ command: 'wc -c', stdin: true });
    const writer = process.stdin.getWriter();
    for (let at = 0; at < 10; at += 1) await writer.write(new Uint8Array(2 ** 20));
    await writer.close();
    expect([(await text(process.stdout)).trim(), await process.wait()]).toEqual([`${10 * 2 ** 20}`, { exitCode: 0 }]);
    const plain = await sandbox.spawn({ command: 'cat; echo end; echo e >&2; exit 2' });
    expect([await text(plain.stdout), await text(plain.stderr), await plain.wait()]).toEqual([
      'end\n',
      'e\n',
      { exitCode: 2 },
    ]);
    expect('stdin' in plain).toBe(false);
    const long = await sandbox.spawn({ command: 'sleep 62' });
    await long.kill();
    await long.kill();
    expect((await long.wait()).exitCode).not.toBe(0);
  });

  it('reads and writes by paths relative to where commands start', async () => {
    const name = `${dir}/new/dir/t.txt`;
    await sandbox.writeTextFile({ path: name, content: 'a\nb\nc' });
    expect(await sandbox.readTextFile({ path: name, startLine: 2, endLine: 9 })).toBe('b\nc');
    await sandbox.writeFile({ path: name, content: new Response('streamed').body ?? new ReadableStream() });
    expect(await text((await sandbox.readFile({ path: name })) ?? new ReadableStream())).toBe('streamed');
    await sandbox.writeBinaryFile({ path: 'relative-here', content: new Uint8Array([0, 255]) });
    expect((await sandbox.run({ command: 'wc -c <relative-here; rm relative-here' })).stdout.trim()).toBe('2');
    expect(await sandbox.readBinaryFile({ path: `${dir}/no` })).toBeNull();
    await expect(sandbox.writeTextFile({ path: dir, content: 'x' })).rejects.toMatchObject({
      details: { reason: 'directory' },
    });
  });

  it('follows links in stat, not in lists, and deletes links themselves', async () => {
    await sandbox.run({
      command: 'mkdir s; echo 12345 >s/f; ln -s s/f lf; ln -s s ld; ln -s no ln; ln -s /dev/null lo',
      workingDirectory: dir,
    });
    const stat = async (path: string) => await sandbox.stat({ path: `${dir}/${path}` });
    expect([await stat('lf'), await stat('ld'), await stat('ln'), await stat('lo'), await stat('no')]).toMatchObject([
      ...[{ type: 'file', size: 6 }, { type: 'directory' }, null, { type: 'other' }, null],
    ]);
    const list = await sandbox.listDirectory({ path: dir });
    expect(list).toEqual(
      expect.arrayContaining([
        { name: 's', type: 'directory' },
        { name: 'ln', type: 'symlink' },
      ]),
    );
    expect(await sandbox.listDirectory({ path: `${dir}/no` })).toBeNull();
    await expect(sandbox.listDirectory({ path: `${dir}/s/f` })).rejects.toMatchObject({
      details: { reason: 'not-a-directory' },
    });
    expect([await sandbox.deleteFile({ path: `${dir}/lf` }), await sandbox.deleteFile({ path: `${dir}/lf` })]).toEqual([
      true,
      false,
    ]);
    expect(await stat('s/f')).toMatchObject({ size: 6 });
    await expect(sandbox.deleteFile({ path: `${dir}/s` })).rejects.toMatchObject({
      details: { reason: 'directory' },
    });
  });
});
