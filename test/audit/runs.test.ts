import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import { program } from '../program.ts';

let home: string;
let work: string;
beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'caisson-audited-'));
  home = join(work, 'state');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'terminal: {backend: local, docker_network: true}\n', { mode: 0o600 });
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

const open = () => openCaisson({ home, env: { PATH: process.env['PATH'], HOME: home }, cwd: work });

describe('runs', () => {
  it('are on record before they start, and their exits after', async () => {
    const caisson = await open();
    const marker = join(home, 'audit', 'audit.ndjson');
    const request = {
      taskId: 'build',
      command: ['sh', '-c', `cat ${marker}; exit 3`] as [string, ...string[]],
      env: { SECRET_WORD: 'hunter2hunter2' },
    };
    const { stdout, execId } = await caisson.run(request);
    expect(stdout.text).toContain(`"execId":"${execId}"`);
    const records = await Array.fromAsync(caisson.audit.tail({ count: 100 }));
    const own = records.filter((record) => record['execId'] === execId);
    expect(own.filter(({ type }) => type !== 'decision').map(({ type, exit_code: code }) => [type, code])).toEqual([
      ['run', undefined],
      ['exit', 3],
    ]);
    expect(own.find(({ type }) => type === 'run')).toMatchObject({
      taskId: 'build',
      backend: 'local',
      command: request.command,
      env: ['SECRET_WORD'],
    });
    await caisson.close();
    expect(readFileSync(marker, 'utf8')).not.toContain('hunter2');
  });

  it('do not start when they cannot be put on record (FR-14)', async () => {
    mkdirSync(join(home, 'audit', 'audit.ndjson'), { recursive: true });
    const caisson = await open();
    const trace = join(work, 'trace');
    const command: [string, ...string[]] = ['sh', '-c', `echo ran > ${trace}`];
    await expect(caisson.run({ taskId: 'build', command })).rejects.toMatchObject({ code: 'unavailable' });
    await expect(caisson.processes.start({ taskId: 'build', command })).rejects.toMatchObject({ code: 'unavailable' });
    const session = { taskId: 'build', name: 'dev', text: `echo ran > ${trace}` };
    await expect(caisson.sessions.run(session)).rejects.toMatchObject({ code: 'unavailable' });
    expect(existsSync(trace)).toBe(false);
    rmSync(join(home, 'audit', 'audit.ndjson'), { recursive: true });
    await caisson.run({ taskId: 'build', command });
    expect(existsSync(trace)).toBe(true);
    await caisson.close();
  });
});

describe('decisions', () => {
  it('are on record when something was found, with what was found', async () => {
    const caisson = await openCaisson({ home, env: { PATH: process.env['PATH'], HOME: home }, cwd: work, yolo: true });
    const env = { KEY: 'hunter2hunter2' };
    await expect(caisson.run({ taskId: 'build', env, command: ['mkfs.ext4', '/dev/sda', env.KEY] })).rejects.toThrow(
      'refused',
    );
    await caisson.run({ taskId: 'build', command: ['sh', '-c', 'rm -rf ./nothing'] });
    await caisson.run({ taskId: 'build', command: ['true'] });
    const records = await Array.fromAsync(caisson.audit.tail({ count: 100 }));
    expect(records.filter(({ type }) => type === 'decision')).toMatchObject([
      {
        verdict: 'deny',
        tier: 'hardline',
        code: 'policy_denied',
        command: ['mkfs.ext4', '/dev/sda', '[KEY]'],
        env: ['KEY'],
      },
      {
        verdict: 'allow',
        answered: 'skipped',
        tier: 'dangerous',
        command: ['rm -rf ./nothing'],
        findings: [{ description: 'recursive delete' }],
      },
    ]);
    expect(records.filter(({ type }) => type === 'run')).toHaveLength(2);
    expect(JSON.stringify(records)).not.toContain('hunter2');
    await caisson.close();
  });
});

it('that questions of a task are skipped is on record, and by which answer a command ran (AP-10)', async () => {
  const approver = async () => await Promise.resolve('once');
  const caisson = await openCaisson({ home, env: { PATH: process.env['PATH'], HOME: home }, cwd: work, approver });
  const run = async () => await caisson.run({ taskId: 'build', command: ['sh', '-c', 'rm -rf ./nothing'] });
  await run();
  await caisson.approvals.skip('build', true);
  await run();
  await caisson.approvals.skip('build', false, { caller: { owner: 'operator', token: 'tok_person' } });
  const records = await Array.fromAsync(caisson.audit.tail({ count: 100 }));
  const decisions = records.filter(({ type }) => type === 'decision');
  expect(decisions.map(({ answered, skips_questions: skips }) => answered ?? skips)).toEqual([
    'once',
    true,
    'skipped',
    false,
  ]);
  expect(decisions.at(-1)).toMatchObject({ caller: { owner: 'operator', token: 'tok_person' } });
  await caisson.close();
  const { stdout } = spawnSync(process.execPath, [program, '--home', home, 'audit', 'tail'], { encoding: 'utf8' });
  expect(stdout).toContain('allow (once, rule D1): rm -rf ./nothing\n');
  expect(stdout).toContain('questions are skipped from here on\n');
});

describe('caisson audit', () => {
  const caisson = (...args: string[]) =>
    spawnSync(process.execPath, [program, '--home', home, ...args], {
      encoding: 'utf8',
      env: { PATH: '/usr/bin:/bin' },
    });

  it('tells what ran, and exits 1 and names the record when one was changed', () => {
    expect(caisson('run', '--task', 'build', '--', 'true').status).toBe(0);
    const shown = caisson('audit', 'tail', '-n', '2');
    expect(shown.stdout).toMatch(/build {2}exec_\w+ {2}run {3}local: true\n.*build {2}exec_\w+ {2}exit {2}exited 0\n$/);
    const [line = ''] = caisson('audit', 'tail', '-n', '1', '--json').stdout.split('\n');
    expect(JSON.parse(line)).toMatchObject({ type: 'exit', reason: 'exited' });
    expect(caisson('audit', 'verify')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^intact: \d+ records/),
    });
    const file = join(home, 'audit', 'audit.ndjson');
    const text = readFileSync(file, 'utf8');
    const { seq } = JSON.parse(line) as { seq: number };
    writeFileSync(file, text.replace('"exited"', '"denied"'));
    const broken = caisson('audit', 'verify', '--json');
    expect([broken.status, JSON.parse(broken.stdout)]).toMatchObject([1, { intact: false, broken: { seq } }]);
    expect(caisson('audit', 'verify').stdout).toBe(
      `broken at record ${seq} (audit.ndjson:${seq}): is not as it was written\n`,
    );
  }, 60_000);
});
