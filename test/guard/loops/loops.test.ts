/** Loops of real commands, over several processes of Caisson. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import { program } from '../../program.ts';

let home: string;
let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'caisson-loops-'));
  home = join(work, 'state');
  mkdirSync(home, { mode: 0o700 });
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

async function opened(enabled = true) {
  writeFileSync(
    join(home, 'config.yaml'),
    `terminal: {backend: local}\ntool_loop_guardrails: {enabled: ${enabled}}\n`,
    {
      mode: 0o600,
    },
  );
  const caisson = await openCaisson({ home, env: { PATH: process.env['PATH'], HOME: home }, cwd: home });
  const run = async (text: string) =>
    (await caisson.run({ taskId: 'build', command: ['sh', '-c', text], cwd: work })).exit;
  return { run, close: () => caisson.close() };
}

const warning = (text: string) => [expect.stringContaining(text)];
const stop = (guardrail: string, count: number) =>
  expect.objectContaining({ code: 'policy_denied', details: expect.objectContaining({ guardrail, count }) });

describe('a loop', () => {
  it('of the same failure is warned of at two, and stopped after five', async () => {
    const { run, close } = await opened();
    expect((await run('exit 3')).notes).toEqual([]);
    expect((await run('exit 3')).notes).toEqual(warning('the same call has failed 2 times'));
    for (let n = 3; n <= 5; n += 1) expect((await run('exit 3')).exitCode).toBe(3);
    await expect(run('exit 3')).rejects.toEqual(stop('exact_failure', 5));
    // Another call is free to go, and what it changes starts the count anew.
    expect((await run('touch made')).notes).toEqual([]);
    expect((await run('exit 3')).notes).toEqual([]);
    await close();
  });

  it('of failures of one tool is warned of at three, and stopped after eight', async () => {
    const { run, close } = await opened();
    for (let n = 1; n <= 8; n += 1)
      expect((await run(`exit ${n}`)).notes).toEqual(n < 3 ? [] : warning(`${n} calls have failed`));
    await expect(run('exit 9')).rejects.toEqual(stop('same_tool_failure', 8));
    await close();
  });

  it('of looks without a change is warned of at two, and stopped after five, by what they print', async () => {
    const { run, close } = await opened();
    expect((await run('cat /proc/uptime')).notes).toEqual([]);
    for (let n = 1; n <= 5; n += 1)
      expect((await run('ls -a /')).notes).toEqual(n < 2 ? [] : warning(`the same result ${n} times`));
    await expect(run('ls -a /')).rejects.toEqual(stop('idempotent_no_progress', 5));
    await run('mkdir somewhere');
    expect((await run('ls -a /')).notes).toEqual([]);
    await close();
  });

  it('of a call that is refused is stopped as well (AP-11)', async () => {
    const { run, close } = await opened();
    for (let n = 1; n <= 5; n += 1) await expect(run('rm -rf x')).rejects.toMatchObject({ code: 'approval_required' });
    await expect(run('rm -rf x')).rejects.toEqual(stop('exact_failure', 5));
    await expect(run('rm -rf x')).rejects.toEqual(stop('exact_failure', 5));
    await close();
  });

  it('is absent unless it was asked for', async () => {
    const { run, close } = await opened(false);
    for (let n = 1; n <= 7; n += 1) expect((await run('exit 3')).notes).toEqual([]);
    await close();
    expect(readdirSync(home)).not.toContain('guardrails');
  });

  it('is seen over several processes, and reported on the command line', async () => {
    await (await opened()).close();
    const run = () =>
      spawnSync(process.execPath, [program, '--home', home, 'run', '--task', 'build', '--', 'sh', '-c', 'exit 3'], {
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin' },
      });
    expect(run()).toMatchObject({ status: 3, stderr: expect.not.stringContaining('has failed') });
    expect(run()).toMatchObject({ status: 3, stderr: expect.stringContaining('the same call has failed 2 times') });
    for (let n = 3; n <= 5; n += 1) expect(run().status).toBe(3);
    expect(run()).toMatchObject({ status: 126, stderr: expect.stringContaining('turns in circles') });
    expect(statSync(join(home, 'guardrails', 'build.json')).mode & 0o777).toBe(0o600);
  }, 120_000);
});
