/** The script of canaries listens and connects with whichever program an image has, and only its own token counts. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { shellText } from '../../../src/lib/script.ts';
import { freePort } from '../../e2e/break-off.ts';
import { findCommand } from '../../engines/privileges.ts';

const run = promisify(execFile);
const script = shellText('backends/kubernetes/canary');

/** `null`: this host does not have it. What is called python3 may be a script that needs others. */
function pathOf(name: string): string | null {
  if (name === 'node') return process.execPath;
  const found = findCommand(name === 'nc' ? 'busybox' : name);
  if (name !== 'python3' || found === null) return found;
  return execFileSync(found, ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
}

/** A directory of programs, which is all that the script finds. */
function imageWith(programs: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-canary-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const name of ['sh', 'sleep', 'timeout', ...programs]) {
    const path = pathOf(name);
    if (path !== null) symlinkSync(path, join(directory, name));
  }
  return directory;
}

function listen(path: string, port: number, token: string): void {
  const args = ['-c', script, 'sh', 'listen', String(port), token];
  const child = spawn('/bin/sh', args, { env: { PATH: path }, stdio: 'ignore', detached: true });
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
}

async function reach(path: string, port: number, token: string): Promise<number> {
  const args = ['-c', script, 'sh', 'reach', String(port), token, '127.0.0.1'];
  const ran = run('/bin/sh', args, { env: { PATH: path } });
  return await ran.then(
    () => 0,
    ({ code }: { readonly code: number }) => code,
  );
}

/** The programs that listen; bash connects alone. */
const ways = [
  ['perl', 'perl'],
  ['python3', 'python3'],
  ['node', 'node'],
  ['nc', 'nc'],
  ['perl', 'bash'],
] as const;

describe.each(ways)('an image with %s that listens, and %s that connects', (listener, client) => {
  it.skipIf(pathOf(listener) === null || pathOf(client) === null)('reaches its own listener alone', async () => {
    const [server, from] = [imageWith([listener]), imageWith([client])];
    const port = await freePort();
    expect(await reach(from, port, 'token')).toBe(1);
    listen(server, port, 'token');
    await expect.poll(() => reach(from, port, 'token'), { timeout: 10_000 }).toBe(0);
    await expect.poll(() => reach(from, port, 'other'), { timeout: 10_000 }).toBe(1);
    await expect.poll(() => reach(from, port, 'token'), { timeout: 10_000 }).toBe(0);
  });
});

it('says that an image has no program to connect with', async () => {
  expect(await reach(imageWith([]), 9, 'token')).toBe(3);
});
