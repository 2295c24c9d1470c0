import { readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guardianCommand } from '../../../src/exec/lane/guardian.ts';
import { LanedSandbox } from '../../../src/exec/lane/laned.ts';
import { run } from '../../conformance/command.ts';
import { shellDirectory, shells } from '../kill/shells.ts';
import { spawnedSandbox } from '../spawned-sandbox.ts';

/** `sh` and what is named: nothing else is found. */
function sandboxWith(shell: string, programs: readonly string[]) {
  const directory = shellDirectory(shell);
  for (const program of programs) symlinkSync(`/usr/bin/${program}`, join(directory.path, program));
  const inner = spawnedSandbox();
  const sandbox: ReturnType<typeof spawnedSandbox> = {
    ...inner,
    exec: (command, options) => inner.exec(command, { ...options, env: { PATH: directory.path, ...options.env } }),
  };
  return { sandbox, path: directory.path, [Symbol.dispose]: () => rmSync(directory.path, { recursive: true }) };
}

describe.each(shells)('a sandbox whose shell, %s, has no setsid', (shell) => {
  it('runs every command the direct way, and says why', async () => {
    using lacking = sandboxWith(shell, ['env', 'head']);
    const laned = new LanedSandbox(lacking.sandbox, null);
    for (let index = 0; index < 4; index += 1)
      expect(await run(laned, ['sh', '-c', `echo ${index}; exit ${index}`])).toMatchObject({
        exitCode: index,
        stdout: Buffer.from(`${index}\n`),
      });
    expect(laned.noLanes).toContain('needs sh, setsid and /proc');
    laned.close();
  });

  it('says so at once when its first process should have been a lane', async () => {
    using lacking = sandboxWith(shell, ['env', 'sleep', 'head']);
    const { sandbox } = lacking;
    const init = await sandbox.exec(guardianCommand('nonce'), { cwd: '/', env: {}, stdin: true });
    const laned = new LanedSandbox({ ...sandbox, init }, 'nonce');
    const from = performance.now();
    expect((await run(laned, ['sh', '-c', 'echo direct'])).stdout.toString()).toBe('direct\n');
    expect(performance.now() - from).toBeLessThan(10_000);
    expect(laned.noLanes).toContain('needs sh, setsid and /proc');
    await init.kill('SIGKILL');
  });

  it('does not take a program with "=" in its name for a variable', async () => {
    using whole = sandboxWith(shell, ['env', 'setsid', 'true', 'head']);
    const PATH = whole.path;
    writeFileSync(join(PATH, 'a=b'), '#!/bin/sh\necho "ran $*"\n', { mode: 0o755 });
    const laned = new LanedSandbox(whole.sandbox, null);
    for (let index = 0; index < 2; index += 1) await run(laned, ['true']);
    for (const env of [{ PATH }, { PATH, LC_ALL: 'C' }])
      expect((await run(laned, ['a=b', 'me'], { env })).stdout.toString()).toBe('ran me\n');
    expect(laned.noLanes).toBeNull();
    laned.close();
  });

  it('is distinguished from one that has all', async () => {
    using whole = sandboxWith(shell, ['env', 'setsid', 'head']);
    const laned = new LanedSandbox(whole.sandbox, null);
    for (let index = 0; index < 3; index += 1) await run(laned, ['sh', '-c', 'echo x']);
    expect(laned.noLanes).toBeNull();
    laned.close();
  });
});

describe('a busybox that prefers its own programs', () => {
  it('runs what is in PATH, and nothing else, as a direct start does', async () => {
    using whole = sandboxWith('busybox', []);
    const busybox = readlinkSync(join(whole.path, 'sh'));
    for (const program of ['setsid', 'env', 'echo', 'head']) symlinkSync(busybox, join(whole.path, program));
    const laned = new LanedSandbox(whole.sandbox, null);
    await run(laned, ['echo']);
    expect(await run(laned, ['echo'])).toMatchObject({ exitCode: 0 });
    expect(await run(laned, ['true'])).toMatchObject({ exitCode: 127 });
    expect(laned.noLanes).toBeNull();
    laned.close();
  });
});
