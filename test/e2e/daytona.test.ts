/** Tasks at Daytona while no Caisson runs: the service stops them, archives them, and keeps their files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { eventually } from '../conformance/command.ts';
import { daytonaImage, startDaytonaHere, whyNoDaytona } from '../engines/daytona.ts';
import { cli } from './home.ts';

const service = whyNoDaytona() === null ? await startDaytonaHere() : null;
afterAll(() => service?.close());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
let home = '';

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-daytona-home-'));
  const terminal = `terminal: {backend: daytona, daytona_image: "${daytonaImage}"}\n`;
  await writeFile(join(home, 'config.yaml'), terminal, { mode: 0o600 });
});
afterEach(async () => {
  await caisson('rm', 't');
  await rm(home, { recursive: true });
});

function started(args: readonly string[]) {
  const env = { ...compiled, PATH: process.env['PATH'] ?? '', HOME: home, CAISSON_HOME: home, ...service?.environment };
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

async function isRunning(): Promise<boolean> {
  const { stdout } = await caisson('ls', '--account', '-o', 'json');
  return stdout.includes('"state":"running"');
}

const advance = async (ms: number): Promise<void> => await service?.inject({ fault: 'advance-clock', ms });

describe.skipIf(whyNoDaytona() !== null)('a task at Daytona while no Caisson runs', { timeout: 240_000 }, () => {
  it('is stopped by the service, and has its files when it is used again', async () => {
    await caisson('run', '--task', 't', '--', 'sh', '-c', 'echo kept >file');
    expect(await isRunning()).toBe(true);
    await advance(dayMs);
    expect(await eventually(async () => !(await isRunning()), 20_000)).toBe(true);
    expect(await caisson('exec', 't', '--', 'cat', 'file')).toMatchObject({ code: 0, stdout: 'kept\n' });
  });

  it('has its files after 31 days, from the archive', async () => {
    await caisson('run', '--task', 't', '--', 'sh', '-c', 'echo kept >file');
    for (let day = 0; day < 31; day += 1) await advance(dayMs);
    expect(await isRunning()).toBe(false);
    expect(await caisson('exec', 't', '--', 'cat', 'file')).toMatchObject({ code: 0, stdout: 'kept\n' });
  });

  it('is stopped although a Caisson was killed with open shells', async () => {
    await caisson('create', '--task', 't');
    const child = started(['sh', 't']);
    child.stdin.write('echo up\n');
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const ended = await eventually(async () => {
      await advance(hourMs);
      return !(await isRunning());
    }, 150_000);
    expect(ended).toBe(true);
  });
});
