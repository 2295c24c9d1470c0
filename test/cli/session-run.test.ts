/** The real program on the local backend. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bin, finished, scratch, start } from './process.ts';
import { cli } from './cli.ts';

async function task(): Promise<AsyncDisposable & { readonly path: string; readonly env: Record<string, string> }> {
  const at = await scratch();
  const env = { ...at.env, CAISSON_HOME: join(at.path, 'caisson'), CAISSON_TERMINAL_BACKEND: 'local' };
  const created = await finished(process.execPath, [bin, 'create', '-q', '--task', 'build'], env);
  if (created.exitCode !== 0) throw new Error(created.stderr);
  return { path: at.path, env, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

describe('session run', { timeout: 60_000 }, () => {
  it('shows what comes as it comes, a prompt too, and exits as the text does', async () => {
    await using at = await task();
    const [seen, asked] = [join(at.path, 'seen'), join(at.path, 'asked')];
    const text = `echo first; until [ -e ${seen} ]; do sleep 0.02; done; printf 'go on? ' >&2; until [ -e ${asked} ]; do sleep 0.02; done; (exit 7)`;
    const run = start(process.execPath, [bin, 'session', 'run', 'build', 'dev', '--', text], at.env);
    await run.wrote('first\n'); // and the text waits for what is made only now
    await writeFile(seen, '');
    await run.wrote('go on? ');
    await writeFile(asked, '');
    expect(await run.ended).toEqual({ exitCode: 7, signal: null, stdout: 'first\n', stderr: 'go on? ' });
  });

  it('ends with the text when it is interrupted, after what was written', async () => {
    await using at = await task();
    const args = ['session', 'run', 'build', 'dev', '--', 'X=1; echo begun; sleep 300; echo BAD'];
    const run = start(process.execPath, [bin, ...args], at.env);
    await run.wrote('begun\n');
    run.child.kill('SIGINT');
    expect(await run.ended).toMatchObject({
      exitCode: 130,
      stdout: 'begun\n',
      stderr: expect.stringContaining('the shell of the session has ended'),
    });
    const next = await finished(
      process.execPath,
      [bin, 'session', 'run', 'build', 'dev', '--', 'echo "${X-no X}"'],
      at.env,
    );
    expect(next).toMatchObject({ exitCode: 0, stdout: 'no X\n' });
  });

  it('stops the text where there is no reader any more', async () => {
    await using at = await task();
    const args = ['session', 'run', 'build', 'dev', '--', 'while echo line; do :; done'];
    const run = start(process.execPath, [bin, ...args], at.env);
    await run.wrote('line\n');
    run.child.stdout?.destroy();
    expect((await run.ended).exitCode).not.toBe(0);
  });

  it('tells of the session what is to be known, and one object with -o json', async () => {
    const sandboxes = [{ taskId: 'build', createdAt: '2026-01-01T00:00:00Z' }];
    const { exitCode, stdout, stderr } = await cli(['session', 'run', 'build', 'dev', '--', 'exit 3'], { sandboxes });
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toBe(
      'caisson: taken up from its kept state, without functions\ncaisson: the shell of the session has ended; the next call takes up the state before this one\n',
    );
    const json = await cli(['session', 'run', 'build', 'dev', '-o', 'json', '--', 'echo a; echo b >&2'], { sandboxes });
    expect(JSON.parse(json.stdout)).toMatchObject({
      execId: 'exec_1',
      exit: { exitCode: 0 },
      stdout: { text: 'a\n' },
      stderr: { text: 'b\n' },
      restored: true,
      sessionEnded: false,
    });
  });
});
