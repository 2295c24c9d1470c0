import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { open } from '../../../backends/local/backend.ts';
import { startProcess } from '../../../backends/shared/host-process.ts';
import { Pipes } from '../../../backends/shared/pipes.ts';
import { run } from '../../conformance/command.ts';
import { plainSpec } from '../../conformance/spec.ts';

const temporary = mkdtempSync(join(tmpdir(), 'caisson-local-'));
afterAll(() => rmSync(temporary, { recursive: true }));

const backend = open({ env: { PATH: process.env['PATH'], TMPDIR: temporary, HOME: temporary }, instance: 'inst' });
afterAll(() => backend.close());

const spec = plainSpec('local', { cwd: temporary, persistent: true });
function options(id: string) {
  const labels = {
    instance: 'inst',
    sandbox: `sbx_${id}`,
    task: id,
    fingerprint: 'f',
    created: '2026-01-01T00:00:00Z',
    schema: '1',
  };
  return { name: `caisson-${id}`, labels, directory: null, credentials: null, init: ['true'] as const };
}

test('does not read ~/.bashrc, as bash would with a socket on stdin', async () => {
  writeFileSync(join(temporary, '.bashrc'), 'echo read the startup file\n');
  const sandbox = await backend.create(spec, options('bashrc'));
  expect((await run(sandbox, ['bash', '-c', 'echo only this'], { stdin: 'x' })).stdout.toString()).toBe('only this\n');
  await sandbox.destroy();
});

test('marks every process with its sandbox, whatever the caller sets', async () => {
  const sandbox = await backend.create(spec, options('mark'));
  const { stdout } = await run(sandbox, ['sh', '-c', 'echo $CAISSON_SANDBOX'], { env: { CAISSON_SANDBOX: 'forged' } });
  expect(stdout.toString()).toBe('sbx_mark\n');
  await sandbox.destroy();
});

test('refuses a ref of another backend or version', async () => {
  for (const ref of [
    { v: 2, file: '/x', sandbox: 's' },
    { v: 1, container: 'x' },
    { v: 1, file: 7, sandbox: 's' },
  ]) {
    await expect(backend.attach(ref)).rejects.toMatchObject({ code: 'invalid_argument' });
  }
});

test('tells what stands in the way of a program, without values of the environment', async () => {
  const sandbox = await backend.create(spec, options('errors'));
  const missing = await run(sandbox, ['no-such-program'], { env: { TOKEN: 'secret-value' } });
  expect(missing).toMatchObject({ exitCode: 127, notStarted: 'not-found' });
  await expect(run(sandbox, ['echo', 'a\0b'])).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(run(sandbox, ['true', 'x'.repeat(200_000)])).rejects.toMatchObject({ code: 'invalid_argument' });
  await sandbox.destroy();
});

test('gives all descriptors back when a command cannot start', async () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  const pipes = new Pipes();
  const before = descriptors();
  const start = { command: ['no-such-program'] as const, cwd: '/', env: {}, stdin: true };
  for (let index = 0; index < 40; index += 1) expect((await startProcess(pipes, start)).pid).toBeNull();
  pipes.close();
  await expect.poll(descriptors, { timeout: 20_000 }).toBeLessThanOrEqual(before + 3);
});
