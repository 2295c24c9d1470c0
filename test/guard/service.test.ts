/** The gate in the real service on this host: no verb gets past it, and what it refuses leaves nothing behind. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Question } from '../../src/guard/types.ts';
import { openCaisson } from '../../src/main.ts';
import type { OpenInput } from '../../src/service/open.ts';
import type { CliProcess } from '../cli/process.ts';
import { queue, hasTerminal, type ApprovalQueue } from './terminal.ts';

const patience = { timeout: 60_000 };

interface GuardedService {
  readonly caisson: Awaited<ReturnType<typeof openCaisson>>;
  /** A directory that the commands would remove. */
  readonly victim: string;
}

async function opened(input: Partial<OpenInput> = {}): Promise<GuardedService> {
  const root = await mkdtemp(join(tmpdir(), 'caisson-gate-'));
  const victim = join(root, 'victim');
  await mkdir(victim);
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, CAISSON_TERMINAL_BACKEND: 'local' };
  const caisson = await openCaisson({ home: join(root, 'home'), env, cwd: root, ...input });
  onTestFinished(async () => {
    await caisson.close();
    await rm(root, { recursive: true });
  });
  return { caisson, victim };
}

describe('every verb that runs something', () => {
  it('is refused at once without an approver, and makes nothing', patience, async () => {
    const { caisson, victim } = await opened();
    const command = ['rm', '-rf', victim] as const;
    const request = { taskId: 'build', command };
    const code = { language: 'bash', text: `rm -rf ${victim}` } as const;
    const refused = { code: 'approval_required', details: { reason: 'no-approver' } };
    await expect(caisson.exec(request)).rejects.toMatchObject(refused);
    await expect(caisson.run(request)).rejects.toMatchObject(refused);
    await expect(caisson.run({ command: ['sh'], input: `rm -rf ${victim}` })).rejects.toMatchObject(refused);
    await expect(caisson.exec({ taskId: 'build', code })).rejects.toMatchObject(refused);
    await expect(caisson.run({ taskId: 'build', code })).rejects.toMatchObject(refused);
    await expect(caisson.processes.start(request)).rejects.toMatchObject(refused);
    expect((await caisson.sandboxes.list()).items).toEqual([]);
    await caisson.sandboxes.create({ taskId: 'build' });
    const session = { taskId: 'build', name: 'work' };
    await expect(caisson.sessions.run({ ...session, text: `rm -rf ${victim}` })).rejects.toMatchObject(refused);
    expect(await caisson.sessions.run({ ...session, text: 'echo fine' })).toMatchObject({ stdout: { text: 'fine\n' } });
    expect(existsSync(victim)).toBe(true);
  });

  it('judges the texts of a session by where it stands and what it has defined (CP-11)', patience, async () => {
    const { caisson, victim } = await opened();
    await caisson.sandboxes.create({ taskId: 'build' });
    const say = async (text: string) => await caisson.sessions.run({ taskId: 'build', name: 'work', text });
    const refused = { code: 'approval_required' };
    await say(`cd ${victim}/..; alias x=rm; z() { y "$@"; }; y() { rm "$@"; }; go() { cd /; }`);
    await expect(say('x -rf victim')).rejects.toMatchObject(refused);
    await expect(say('z -rf victim')).rejects.toMatchObject(refused);
    await expect(say('z -rf /')).rejects.toMatchObject({ code: 'policy_denied', details: { tier: 'hardline' } });
    await expect(say('go; echo x > file')).rejects.toMatchObject(refused);
    await expect(say('pwd() { echo /tmp; }')).rejects.toMatchObject(refused);
    // Deleting below the directory in which the session stands is deleting in its project.
    expect(await say('touch here; y "$PWD/here"; echo done')).toMatchObject({ stdout: { text: 'done\n' } });
    await say('ln -s /etc link; cd link');
    await expect(say('echo x > caisson-nothing')).rejects.toMatchObject(refused);
    await say('cd -P /; cd /tmp');
    expect(existsSync(victim)).toBe(true);
  });

  it('is refused what is always refused, with any approver', patience, async () => {
    const questions: Question[] = [];
    const { caisson } = await opened({
      yolo: true,
      approver: async (question) => await Promise.resolve((questions.push(question), 'once')),
    });
    const refused = { code: 'policy_denied', details: { tier: 'hardline' } };
    // Catastrophes by their form, and harmless should the gate ever fail.
    for (const command of [
      ['mkfs.ext4', '/dev/nothing'],
      ['sh', '-c', 'true; mkfs.ext4 /dev/nothing'],
    ] as const)
      await expect(caisson.run({ command: [...command] })).rejects.toMatchObject(refused);
    expect(questions).toEqual([]);
  });

  it('runs exactly what was approved, whatever the caller changes meanwhile', patience, async () => {
    const command: [string, ...string[]] = ['sh', '-c', ''];
    const { caisson, victim } = await opened({
      approver: async ({ display }) => {
        command[2] = 'touch changed';
        return await Promise.resolve(display.includes('victim') ? 'once' : 'deny');
      },
    });
    command[2] = `rm -rf ${victim}; echo done`;
    const { stdout, exit } = await caisson.run({ command });
    expect([stdout.text, exit.exitCode, existsSync(victim)]).toEqual(['done\n', 0, false]);
    expect(existsSync(join(victim, '..', 'changed'))).toBe(false);
  });

  it('needs nothing of this for what is harmless', patience, async () => {
    const { caisson } = await opened();
    const { stdout } = await caisson.run({ command: ['sh', '-c', 'for n in a b; do printf "%s;" "$n"; done'] });
    expect(stdout.text).toBe('a;b;');
  });
});

async function onTerminal(args: string, env: Record<string, string> = {}): Promise<CliProcess & ApprovalQueue> {
  const at = await queue();
  return { ...at, ...at.caisson(args, env) };
}

describe.skipIf(!hasTerminal)('the question on a terminal', () => {
  it.each([
    ['\r', 126, true],
    ['yes please\r', 126, true],
    ['o\r', 0, false],
    ['Y\r', 0, false],
  ])('answered with %j ends with %s', patience, async (answer, exitCode, stays) => {
    const terminal = await onTerminal('run -q -- rm -rf victim');
    await terminal.wrote('Choice [o/s/a/D]: ');
    terminal.child.stdin?.write(answer);
    const { stdout } = await terminal.ended;
    expect(stdout).toContain('DANGEROUS COMMAND: recursive delete (on local, in ');
    expect(stdout).toContain('  rm -rf victim\r\n');
    expect(stdout).toContain('[o]nce | [s]ession | [a]lways | [d]eny');
    expect([(await terminal.ended).exitCode, existsSync(terminal.victim)]).toEqual([exitCode, stays]);
  });

  it('answered with always saves the rule that it showed', patience, async () => {
    const terminal = await onTerminal('run -q -- rm -rf victim');
    await terminal.wrote('always saves: terminal(rm -rf victim)');
    await terminal.wrote('Choice');
    terminal.child.stdin?.write('a\r');
    expect((await terminal.ended).exitCode).toBe(0);
    const saved = await readFile(join(terminal.home, 'config.yaml'), 'utf8');
    expect(saved).toBe('command_allowlist:\n  - terminal(rm -rf victim)\n');
  });

  it('not answered is a no', patience, async () => {
    const terminal = await onTerminal('run -q -- rm -rf victim', { CAISSON_APPROVALS_TIMEOUT: '1' });
    await terminal.wrote('Choice');
    expect((await terminal.ended).stdout).toContain('no answer came in time');
    expect(existsSync(terminal.victim)).toBe(true);
  });

  it(
    'answered for the session holds for the task in the next command line, until it is revoked, or rm',
    patience,
    async () => {
      const at = await queue();
      const run = 'run -q --task old --';
      const first = at.caisson(`${run} rm -rf victim`);
      await first.wrote('session covers: recursive delete for task old');
      await first.wrote('Choice');
      first.child.stdin?.write('s\r');
      expect((await first.ended).exitCode).toBe(0);
      const second = await at.caisson(`${run} rm -rf other`).ended;
      expect([second.exitCode, second.stdout]).toEqual([0, '']);
      expect((await at.caisson('approvals ls --granted').ended).stdout).toMatch(
        /grt_[0-9a-f]{24} +old .*recursive delete/,
      );
      const [id = ''] = (await at.caisson('approvals ls --granted -q').ended).stdout.trim().split('\r\n');
      expect((await at.caisson(`approvals revoke ${id}`, { USER: 'mia' }).ended).exitCode).toBe(0);
      expect((await at.caisson('audit tail').ended).stdout).toContain('revoked by mia on a terminal');
      expect((await at.caisson('approvals ls --granted -q').ended).stdout.trim()).toBe('');
      const again = at.caisson(`${run} rm -rf again`);
      await again.wrote('Choice');
      again.child.stdin?.write('s\r');
      expect((await again.ended).exitCode).toBe(0);
      expect((await at.caisson('rm -q old').ended).exitCode).toBe(0);
      const third = at.caisson(`${run} rm -rf third`);
      await third.wrote('Choice');
      third.child.stdin?.write('d\r');
      expect((await third.ended).exitCode).toBe(126);
    },
  );

  it('answered from another terminal says by whom, and how', patience, async () => {
    const at = await queue();
    const asking = at.caisson('run -q -- rm -rf victim');
    await asking.wrote('Choice');
    const [, id = ''] = /(apr_[0-9a-f]{24})/.exec((await at.caisson('approvals ls').ended).stdout) ?? [];
    expect((await at.caisson(`approvals approve ${id}`, { USER: 'mia' }).ended).exitCode).toBe(0);
    const { exitCode, stdout } = await asking.ended;
    expect([exitCode, existsSync(at.victim)]).toEqual([0, false]);
    expect(stdout).toContain('answered elsewhere: once, by mia on a terminal');
  });

  it('is not asked where a rule of the command line answers', patience, async () => {
    const terminal = await onTerminal(`run -q --allow 'terminal(rm -rf victim)' -- rm -rf victim`);
    expect((await terminal.ended).exitCode).toBe(0);
    expect(existsSync(terminal.victim)).toBe(false);
  });

  it('is not asked with --yolo', patience, async () => {
    const terminal = await onTerminal('run -q --yolo -- rm -rf victim');
    expect((await terminal.ended).exitCode).toBe(0);
    expect(existsSync(terminal.victim)).toBe(false);
  });
});
