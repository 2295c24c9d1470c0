/** Without a terminal, and with EXEC_ASK in the environment: the command waits until a person answers on another terminal. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { program } from '../program.ts';

const run = promisify(execFile);

it.each(['embedded', 'through a service'])(
  'a command waits for an answer from elsewhere: %s',
  async (way) => {
    const at = await mkdtemp(join(tmpdir(), 'caisson-asks-'));
    onTestFinished(() => rm(at, { recursive: true, force: true }));
    const { CAISSON_EXEC: _exec, ...rest } = process.env;
    const env = {
      ...rest,
      CAISSON_HOME: join(at, 'home'),
      CAISSON_TERMINAL_BACKEND: 'local',
      CAISSON_SECURITY_TIRITH_ENABLED: 'false',
    };
    const caisson = (...args: readonly string[]) => run(process.execPath, [program, ...args], { env, cwd: at });
    if (way !== 'embedded') {
      await caisson('serve', '--background', '--port', '0');
      onTestFinished(async () => void (await caisson('service', 'stop')));
    }
    await writeFile(join(at, 'gone'), '');
    const asking = spawn(process.execPath, [program, 'run', '--', 'sh', '-c', `rm -rf '${at}/gone'`], {
      env: { ...env, HERMES_EXEC_ASK: '1' },
      cwd: at,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise((resolve) => asking.once('close', resolve));
    let said = '';
    asking.stderr.on('data', (chunk: Buffer) => void (said += chunk.toString()));
    await expect
      .poll(() => said, { timeout: 30_000 })
      .toMatch(/waits for an answer: caisson approvals approve apr_\w+/);
    await readFile(join(at, 'gone'));
    const id = /approve (apr_\w+)/.exec(said)?.[1] ?? '';
    await caisson('approvals', 'approve', id);
    expect(await ended).toBe(0);
    await expect(readFile(join(at, 'gone'))).rejects.toMatchObject({ code: 'ENOENT' });
  },
  90_000,
);
