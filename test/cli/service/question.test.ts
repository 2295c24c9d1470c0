/** Questions on a real terminal, embedded and through a service: they read and end the same. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiled } from '../../compiled.ts';
import { bin, finished, scratch, start, type CliProcess } from '../process.ts';

const script = '/usr/bin/script';
const timeout = 60_000;

interface QuestionPlace extends AsyncDisposable {
  readonly path: string;
  readonly cli: (...args: string[]) => ReturnType<typeof finished>;
  readonly onTerminal: (line: string) => CliProcess;
}

async function open(isService: boolean): Promise<QuestionPlace> {
  const at = await scratch();
  const home = join(at.path, 'home');
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, 'config.yaml'), 'terminal: {backend: local}\n', { mode: 0o600 });
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const env = { ...at.env, CAISSON_HOME: home, PATH: path, USER: 'anna', TERM: 'vt100', SHELL: '/bin/sh' };
  const cli = (...args: string[]) => finished(process.execPath, [bin, ...args], env);
  const end = isService ? await serve(env) : () => Promise.resolve();
  await cli('create', 't');
  return {
    path: at.path,
    cli,
    onTerminal: (line) =>
      start(script, ['-qec', `trap : INT; '${process.execPath}' '${bin}' ${line}; echo "ended $?"`, '/dev/null'], env),
    [Symbol.asyncDispose]: async () => {
      await end();
      await cli('rm', 't');
      await at[Symbol.asyncDispose]();
    },
  };
}

/** Longer than the processes that `start` gives. The returned function ends it. */
async function serve(env: Record<string, string>): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [bin, 'serve', '--port', '0'], {
    env: { ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout,
    killSignal: 'SIGKILL',
  });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  return async () => {
    child.kill('SIGTERM');
    await exit;
  };
}

describe.skipIf(!existsSync(script)).each([
  ['embedded', false],
  ['through a service', true],
])('a question on a terminal, %s', (_name, isService) => {
  it('is shown whole, and its answer decides', { timeout }, async () => {
    await using place = await open(isService);
    const doomed = join(place.path, 'doomed');
    await mkdir(doomed);
    const refused = place.onTerminal(`exec t -w / -- rm -rf ${doomed}`);
    await refused.wrote('Choice [');
    refused.child.stdin?.write('d\n');
    const no = await refused.ended;
    expect(no.stdout).toContain('DANGEROUS COMMAND: recursive delete (on local, in /)');
    expect(no.stdout).toContain(`  rm -rf ${doomed}`);
    expect(no.stdout).toContain('ended 126');
    expect(existsSync(doomed)).toBe(true);
    const allowed = place.onTerminal(`exec t -w / -- rm -rf ${doomed}/`);
    await allowed.wrote('Choice [');
    allowed.child.stdin?.write('o\n');
    expect((await allowed.ended).stdout).toContain('ended 0');
    expect(existsSync(doomed)).toBe(false);
  });

  it('goes away when it is answered from elsewhere, and says by whom', { timeout }, async () => {
    await using place = await open(isService);
    const asked = place.onTerminal(`exec t -w / -- rm -rf ${place.path}/none`);
    await asked.wrote('Choice [');
    const [id = ''] = (await place.cli('approvals', 'ls', '-q')).stdout.split('\n');
    expect(await place.cli('approvals', 'approve', id)).toMatchObject({ exitCode: 0 });
    const { stdout } = await asked.ended;
    expect(stdout).toMatch(
      isService ? /answered elsewhere: once, by command-line-answer/ : /answered elsewhere: once, by anna/,
    );
    expect(stdout).toContain('ended 0');
  });

  it('goes away by Ctrl-C, and its command does not run', { timeout }, async () => {
    await using place = await open(isService);
    const doomed = join(place.path, 'doomed');
    await mkdir(doomed);
    const asked = place.onTerminal(`exec t -w / -- rm -rf ${doomed}`);
    await asked.wrote('Choice [');
    asked.child.stdin?.write('\u0003');
    expect((await asked.ended).stdout).toContain('ended 130');
    expect(existsSync(doomed)).toBe(true);
    await expect.poll(async () => (await place.cli('approvals', 'ls', '-q')).stdout, { timeout: 20_000 }).toBe('');
  });
});
