/** Each member of client and session of @openai/agents, with the real package. */
import { rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { make } from '../../../src/adapters/openai-agents.ts';
import { onEachBackend } from './ground.ts';

onEachBackend('openai-agents', ({ backend, caisson, modules }) => {
  const client = (options = {}) => {
    const { applyDiff, sandbox } = modules();
    return make({ ...sandbox, applyDiff } as never, caisson(), options);
  };
  const manifest = {
    manifest: {
      entries: { 'a.txt': { type: 'file', content: 'one\n' }, d: { type: 'dir', children: { e: { type: 'dir' } } } },
      environment: { GREETING: 'hello' },
    },
  };

  it('makes a session of a manifest, and removes what it made', async () => {
    const session = await client().create(manifest);
    const {
      taskId,
      manifest: { root },
    } = session.state;
    expect(await session.running()).toBe(true);
    expect(await session.exec({ cmd: 'pwd; cat a.txt; ls d; echo $GREETING; exit 5' })).toMatchObject({
      output: `${root}\none\ne\nhello\n`,
      exitCode: 5,
    });
    expect(Buffer.from(await session.readFile({ path: 'a.txt', maxBytes: 2 })).toString()).toBe('on');
    expect(await session.listDir({ path: 'd' })).toEqual([{ name: 'e', path: 'd/e', type: 'dir' }]);
    expect([
      await session.pathExists('d/e'),
      await session.directoryExists('a.txt'),
      await session.pathExists('no'),
    ]).toEqual([true, false, false]);
    await session.materializeEntry({ path: 'later', entry: { type: 'file', content: 'x' } as never });
    expect(Object.keys(session.state.manifest.entries)).toContain('later');
    await expect(session.readFile({ path: '/etc/passwd' })).rejects.toThrow(/escape|root|workspace/i);
    await expect(session.resolveExposedPort(80)).rejects.toMatchObject({ code: 'not_supported' });
    await expect(session.exec({ cmd: 'true', runAs: 'root' })).rejects.toMatchObject({ code: 'not_supported' });
    await session.delete();
    await expect(caisson().sandboxes.get(taskId)).rejects.toMatchObject({ code: 'not_found' });
    expect(await session.running()).toBe(false);
  });

  it('goes on with a command that runs, and ends it with the session', async () => {
    const session = await client({ taskId: 'open' }).create();
    const begun = await session.exec({ cmd: 'echo begun; sleep 2; echo over', yieldTimeMs: 700 });
    expect(begun).toMatchObject({ output: 'begun\n', sessionId: 1 });
    expect(begun.exitCode).toBeUndefined();
    expect(await session.writeStdin({ sessionId: 1, chars: 'x' })).toMatch(/stdin is closed/);
    expect(await session.writeStdin({ sessionId: 1, yieldTimeMs: 10_000 })).toMatch(/exited with code 0[\s\S]*over/);
    expect(await session.writeStdin({ sessionId: 1 })).toMatch(/session not found/);
    expect(await session.execCommand({ cmd: 'mkfifo p' })).toMatch(/exited with code 126[\s\S]*mkfifo/);
    expect(await session.execCommand({ cmd: 'yes | head -c 100000', maxOutputTokens: 100 })).toMatch(
      /tokens truncated/,
    );
    await session.exec({ cmd: 'sleep 63', yieldTimeMs: 100 });
    await session.stop();
    expect((await session.exec({ cmd: 'ps ax 2>/dev/null | grep -c "[s]leep 63"' })).output).toBe('0\n');
    if (backend === 'docker') {
      const shell = await session.exec({ cmd: 'read line; echo "got $line"', tty: true, yieldTimeMs: 500 });
      expect(
        await session.writeStdin({ sessionId: shell.sessionId ?? 0, chars: 'typed\n', yieldTimeMs: 5000 }),
      ).toContain('got typed');
    }
  });

  it('applies patches that fit, moves and deletes', async () => {
    const session = await client({ taskId: 'open' }).create();
    const editor = session.createEditor();
    await editor.createFile({ type: 'create_file', path: 'p/q.txt', diff: '+one\n+two\n' });
    await editor.updateFile({ type: 'update_file', path: 'p/q.txt', diff: '@@\n-one\n+1\n', moveTo: 'r.txt' });
    expect([
      Buffer.from(await session.readFile({ path: 'r.txt' })).toString(),
      await session.pathExists('p/q.txt'),
    ]).toEqual(['1\ntwo', false]);
    await expect(editor.updateFile({ type: 'update_file', path: 'r.txt', diff: '@@\n-none\n+1\n' })).rejects.toThrow(
      /context|find|match|diff/i,
    );
    await editor.deleteFile({ type: 'delete_file', path: 'r.txt' });
    expect(await session.pathExists('r.txt')).toBe(false);
  });

  it('resumes a stored session, and none that it did not make', async () => {
    const ways = client({ taskId: 'open' });
    const session = await ways.create(manifest);
    const stored = JSON.parse(JSON.stringify({ ...(await ways.serializeSessionState(session.state)), ...manifest }));
    const resumed = await client().resume(await ways.deserializeSessionState(stored));
    expect((await resumed.exec({ cmd: 'cat a.txt; echo $GREETING' })).output).toBe('one\nhello\n');
    await resumed.delete();
    expect((await caisson().sandboxes.get('open')).state).toBe('ready');
    await caisson().sandboxes.create({ taskId: 'other' });
    await expect(ways.resume({ ...session.state, taskId: 'other' })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(ways.delete({ ...session.state, taskId: 'other', owned: true })).rejects.toMatchObject({
      code: 'permission_denied',
    });
    await expect(ways.deserializeSessionState({ taskId: 3 })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('keeps the workspace as a tar, and makes it again', async () => {
    const root = `/tmp/${backend}-root-${process.pid}`;
    const session = await client().create({ manifest: { ...manifest.manifest, root } });
    const tar = await session.persistWorkspace();
    await session.exec({ cmd: 'rm a.txt && rmdir d/e d' });
    expect(await session.pathExists('d')).toBe(false);
    await session.hydrateWorkspace(tar);
    expect((await session.exec({ cmd: 'cat a.txt; ls d; pwd' })).output).toBe(`one\ne\n${root}\n`);
    await session.delete();
    rmSync(root, { recursive: true, force: true });
  });

  it('refuses what of a manifest it cannot give, before a sandbox is made', async () => {
    const before = (await caisson().sandboxes.list()).items.length;
    for (const wrong of [
      { users: [{ name: 'u' }] },
      { entries: { r: { type: 'git_repo', repo: 'a/b' } } },
      { entries: { f: { type: 'local_file', src: '/etc/passwd' } } },
    ])
      await expect(client().create({ manifest: wrong })).rejects.toMatchObject({ code: 'not_supported' });
    expect((await caisson().sandboxes.list()).items.length).toBe(before);
  });
});
