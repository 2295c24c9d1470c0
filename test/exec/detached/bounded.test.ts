/** The output of a detached process is bounded whatever the sandbox makes of its files, and so are those that read it there. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Exit } from '../../../src/values/exit.ts';
import { waitForProcess } from '../../../src/exec/detached/end.ts';
import { followProcess } from '../../../src/exec/detached/follow.ts';
import { findProcess, type ProcessDirectory } from '../../../src/exec/detached/list.ts';
import { keptStreamBytes, startDetached } from '../../../src/exec/detached/start.ts';
import { keptSandbox } from '../kept-sandbox.ts';
import { shells } from '../kill/shells.ts';
import { shell as shellRequest, where } from '../requests.ts';

const sparse = 200 * 2 ** 30;

interface ReadSummary {
  readonly bytes: Readonly<Record<'stdout' | 'stderr', number>>;
  readonly exit: Exit | null;
}

async function read(kept: ProcessDirectory, id: string, follow = true): Promise<ReadSummary> {
  const bytes = { stdout: 0, stderr: 0 };
  let exit: Exit | null = null;
  for await (const { event } of followProcess(kept, id, { after: 0, follow, where, cwd: '/' })) {
    if (event.type === 'stdout' || event.type === 'stderr') bytes[event.type] += event.bytes.length;
    if (event.type === 'exit') exit = event.exit;
  }
  return { bytes, exit };
}

/** Processes that have a directory as theirs. */
function inside(directory: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${directory}\0`);
    } catch {
      return false;
    }
  });
}

describe.each(shells)('the output of a detached process under %s', (shell) => {
  it.each(['ended', 'running'])(
    'is bounded when its files were made longer while it was %s (SB-S9)',
    { timeout: 60_000 },
    async (state) => {
      using home = keptSandbox(shell);
      const kept = { sandbox: home.sandbox, key: '' };
      const request = shellRequest(state === 'ended' ? 'echo hi' : 'echo hi; sleep 10');
      await startDetached(kept, request);
      if (state === 'ended') await waitForProcess(kept, request.execId);
      for (const name of ['out', 'err']) {
        const file = join(home.home, '.local/state/caisson/processes', request.execId, name);
        await expect.poll(() => existsSync(file), { timeout: 20_000 }).toBe(true);
        await truncate(file, sparse);
      }
      const { bytes, exit } = await read(kept, request.execId);
      expect(bytes).toEqual({ stdout: keptStreamBytes, stderr: keptStreamBytes });
      expect(exit).toMatchObject({ stdout: { complete: null }, stderr: { complete: null } });
      expect(exit?.notes).toContainEqual(expect.stringContaining('its stdout is at the limit of what is kept'));
    },
  );

  it('is whole, from any place on, up to its limit', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest(`head -c ${keptStreamBytes + 1} /dev/zero; sleep 1; echo late >&2`);
    await startDetached(kept, request);
    const { bytes, exit } = await read(kept, request.execId);
    expect(bytes).toEqual({ stdout: keptStreamBytes, stderr: 5 });
    expect(exit).toMatchObject({ stdout: { complete: false, truncated: true }, stderr: { complete: true } });
  });

  it('ends its reader when the record is removed, and leaves no follower', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('echo hi; sleep 300');
    await startDetached(kept, request);
    const directory = join(home.home, '.local/state/caisson/processes', request.execId);
    const reading = read(kept, request.execId).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { pid } = await findProcess(kept, request.execId);
    await rm(directory, { recursive: true });
    expect(await reading).toMatchObject({ code: 'not_found' });
    if (pid !== null) process.kill(-pid, 'SIGKILL');
    await expect.poll(() => inside(home.home), { timeout: 20_000 }).toEqual([]);
  });

  it('of what is no file is not waited for', { timeout: 60_000 }, async () => {
    using home = keptSandbox(shell);
    const kept = { sandbox: home.sandbox, key: '' };
    const request = shellRequest('echo hi');
    await startDetached(kept, request);
    await waitForProcess(kept, request.execId);
    const out = join(home.home, '.local/state/caisson/processes', request.execId, 'out');
    await unlink(out);
    execFileSync('mkfifo', [out]);
    await expect(read(kept, request.execId, false)).rejects.toMatchObject({ code: 'not_found' });
    await unlink(out);
    await symlink('/dev/zero', out);
    await expect(read(kept, request.execId, false)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('a sandbox whose tools print without end is not read without end', { timeout: 60_000 }, async () => {
  using home = keptSandbox('bash');
  const kept = { sandbox: home.sandbox, key: '' };
  const request = shellRequest('echo hi');
  await startDetached(kept, request);
  await waitForProcess(kept, request.execId);
  await unlink(join(home.home, 'head'));
  await writeFile(join(home.home, 'head'), '#!/bin/sh\nexec /usr/bin/yes\n', { mode: 0o755 });
  await expect(read(kept, request.execId)).rejects.toMatchObject({ code: 'resource_exhausted' });
});
