import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { start, type CliProcess } from '../cli/process.ts';
import { cli, type Home, makeHome } from './home.ts';

const home = await makeHome();
afterAll(async () => await home[Symbol.asyncDispose]());

const attach = ({ env }: Home, ...args: readonly string[]): CliProcess =>
  start(process.execPath, [cli, 'attach', ...args], { ...env });

async function detach(backend: string, flags: readonly string[], text: string): Promise<string> {
  const at = ['run', '-q', '--task', `attach-${backend}`, '--backend', backend, '--yolo', '--detach', ...flags];
  const { code, stdout, stderr } = await home.cli([...at, '--', 'sh', '-c', text]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout.trim();
}

describe.each(['docker', 'local'])('attach on %s', (backend) => {
  it('prints what was written and what comes, each on its stream, and exits as the command', async () => {
    const id = await detach(backend, [], 'echo first; sleep 2; echo later; printf "\\0\\377end" >&2; exit 7');
    await sleep(500);
    const { child, ended, wrote } = attach(home, '-q', id);
    child.stdin?.end();
    await wrote('first');
    expect(await ended).toMatchObject({ exitCode: 7, stdout: 'first\nlater\n', stderr: '\0\ufffdend' });
    expect(await home.cli(['attach', '-q', id])).toMatchObject({ code: 7, stdout: 'first\nlater\n' });
  });

  it('passes input on to a command started with -i, and leaves it open when it is killed', async () => {
    const id = await detach(backend, ['-i'], 'while read -r line; do echo "got $line"; done; echo over; exit 3');
    const first = attach(home, id);
    first.child.stdin?.write('one\n');
    await first.wrote('got one');
    first.child.kill('SIGKILL');
    await first.ended;
    const { code, stdout } = await home.cli(['attach', '-q', id], 'two\n');
    expect([code, stdout]).toEqual([3, 'got one\ngot two\nover\n']);
  });

  it('passes the first Ctrl-C on; with --no-signals the command goes on', async () => {
    // A builtin waits: a shell that has just forked runs its trap twice, in the child as well.
    const id = await detach(backend, ['-i'], 'trap "echo caught; exit 9" INT; echo up; while :; do read -r line; done');
    const watching = attach(home, '--no-signals', '--no-stdin', id);
    await watching.wrote('up');
    watching.child.kill('SIGINT');
    expect((await watching.ended).exitCode).toBe(130);
    const { child, ended, wrote } = attach(home, id);
    await wrote('up');
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ exitCode: 9, stdout: 'up\ncaught\n' });
  });

  it('follows a command that another process runs, and ends it', async () => {
    const task = ['--task', `attach-${backend}`, '--exec-id', `exec_other-${backend}`];
    const args = ['exec', '-q', '--yolo', ...task, '--', 'sh', '-c', 'echo running; exec sleep 100'];
    const other = start(process.execPath, [cli, ...args], { ...home.env });
    await other.wrote('running');
    const { child, ended, wrote } = attach(home, '-q', `exec_other-${backend}`);
    await wrote('running');
    child.kill('SIGTERM');
    expect((await ended).exitCode).not.toBe(0);
    expect((await other.ended).exitCode).not.toBe(0);
    expect(await home.cli(['attach', 'exec_unknown'])).toMatchObject({
      code: 125,
      stderr: expect.stringContaining('there is no record of "exec_unknown"'),
    });
    await home.cli(['rm', `attach-${backend}`]);
  });
});
