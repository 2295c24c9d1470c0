/** Tasks at Modal while no Caisson runs: the service goes on, and so does its bill. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, afterEach, describe, expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { eventually } from '../conformance/command.ts';
import { startModalService, whyNoModal } from '../engines/modal.ts';
import { program as cli } from '../program.ts';

const service = whyNoModal === null ? await startModalService() : null;
afterAll(() => service?.stop());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-modal-home-'));
  await writeFile(join(home, 'config.yaml'), 'terminal: {backend: modal, modal_image: "debian:12"}\n', { mode: 0o600 });
});
afterEach(async () => {
  await caisson('rm', 't');
  await rm(home, { recursive: true });
});

function started(args: readonly string[]) {
  const env = { ...compiled, PATH: process.env['PATH'] ?? '', HOME: home, CAISSON_HOME: home, ...service?.env };
  return spawn(process.execPath, [cli, ...args], { env, cwd: home, stdio: ['pipe', 'pipe', 'pipe'] });
}

async function caisson(...args: readonly string[]) {
  const child = started(args);
  child.stdin.end();
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  await once(child, 'close');
  return { code: child.exitCode, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() };
}

const running = async (): Promise<number> =>
  (await service?.state())?.sandboxes.filter(({ status }) => status === null).length ?? 0;

describe.skipIf(whyNoModal !== null)('a task at Modal while no Caisson runs', { timeout: 120_000 }, () => {
  it('keeps its files when the service ends its sandbox after a day', async () => {
    await caisson('run', '--task', 't', '--', 'sh', '-c', 'echo kept >file');
    await service?.order('advance', { ms: dayMs + hourMs });
    expect(await eventually(async () => (await running()) === 0)).toBe(true);
    expect(await caisson('exec', 't', '--', 'cat', 'file')).toMatchObject({ code: 0, stdout: 'kept\n' });
  });

  it('has the files of its last stop after 31 days, and Caisson says what was lost', async () => {
    await caisson('run', '--task', 't', '--', 'sh', '-c', 'echo early >file');
    expect(await caisson('stop', 't')).toMatchObject({ code: 0 });
    await caisson('exec', 't', '--', 'sh', '-c', 'echo late >file');
    await service?.order('advance', { ms: dayMs + hourMs });
    expect(await eventually(async () => (await running()) === 0)).toBe(true);
    await service?.order('advance', { ms: 31 * dayMs });
    const { stdout, stderr } = await caisson('exec', 't', '--', 'cat', 'file');
    expect(stdout).toBe('early\n');
    expect(stderr).toMatch(/the service had ended the sandbox.* what was written later is gone/);
  });

  it('is refused, and not begun anew, when its snapshot is gone', async () => {
    await caisson('run', '--task', 't', '--', 'sh', '-c', 'echo kept >file');
    expect(await caisson('stop', 't')).toMatchObject({ code: 0 });
    await service?.order('forget-images');
    const { code, stderr } = await caisson('exec', 't', '--', 'ls');
    expect(code).toBe(125);
    expect(stderr).toMatch(/not at Modal any more[\s\S]*caisson rm/);
  });

  it('does not keep its sandbox alive by lanes of a Caisson that was killed', async () => {
    await caisson('create', '--task', 't');
    const child = started(['sh', 't']);
    child.stdin.write('echo up\n');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const ended = await eventually(async () => {
      await service?.order('advance', { ms: hourMs });
      return (await running()) === 0;
    }, 60_000);
    expect(ended).toBe(true);
  });
});
