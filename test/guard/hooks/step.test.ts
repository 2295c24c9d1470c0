/** Real scripts, run by the real gate in front of real commands on this host. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import { program } from '../../program.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'caisson-hooks-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function script(name: string, body: string): string {
  const path = join(home, name);
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function configure(hooks: string): void {
  writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local}\n${hooks}`, { mode: 0o600 });
}

const open = async () => {
  const env = { PATH: process.env['PATH'], HOME: home, SECRET_TOKEN: 'hunter2hunter2' };
  return await openCaisson({ home, env, cwd: home });
};

async function accepted() {
  const caisson = await open();
  await caisson.policy.hooks.accept([]);
  return caisson;
}

const forTerminal = (scripts: string) => `hooks: {pre_tool_call: {terminal: [${scripts}]}}\n`;
const refusal = (message: string) =>
  expect.objectContaining({ code: 'policy_denied', message: expect.stringContaining(message) });

describe('a hook', () => {
  it('receives the call as JSON, without secrets, and lets it pass by saying nothing', async () => {
    script('log.sh', `cat > ${home}/seen; env > ${home}/env`);
    configure(forTerminal('log.sh'));
    const caisson = await accepted();
    const { stdout } = await caisson.run({
      taskId: 'build',
      command: ['sh', '-c', 'echo hi'],
      cwd: '/tmp',
      env: { KEY: 'v4lue' },
    });
    expect(stdout.text).toBe('hi\n');
    const seen = readFileSync(join(home, 'seen'), 'utf8');
    expect(JSON.parse(seen)).toMatchObject({
      hook_event_name: 'pre_tool_call',
      tool_name: 'terminal',
      tool_input: { command: 'echo hi' },
      session_id: 'build',
      cwd: '/tmp',
      extra: { backend: 'local', env_names: ['KEY'] },
    });
    expect(seen + readFileSync(join(home, 'env'), 'utf8')).not.toMatch(/v4lue|hunter2/);
    await caisson.close();
  });

  it('blocks with its words, as the documentation shows it', async () => {
    script(
      'check.sh',
      `grep -q 'kubectl delete' && echo '{"action": "block", "message": "kubectl delete is not allowed in this project"}'; true`,
    );
    configure(forTerminal('check.sh'));
    const caisson = await accepted();
    await expect(caisson.run({ taskId: 'build', command: ['kubectl', 'delete', 'pod', 'my-pod'] })).rejects.toEqual(
      refusal('kubectl delete is not allowed in this project'),
    );
    expect((await caisson.run({ taskId: 'build', command: ['true'] })).exit.exitCode).toBe(0);
    await caisson.close();
  });

  it('changes a command, in an argument vector, in text for a shell and in a session', async () => {
    script('change.sh', `echo '{"action": "modify", "tool_input": {"command": "echo changed"}}'`);
    configure(forTerminal('change.sh'));
    const caisson = await accepted();
    for (const command of [['false'], ['sh', '-c', 'exit 1']] as [string, ...string[]][])
      expect((await caisson.run({ taskId: 'build', command })).stdout.text).toBe('changed\n');
    const session = await caisson.sessions.run({ taskId: 'build', name: 'dev', text: 'exit 1' });
    expect(session.stdout.text).toBe('changed\n');
    await caisson.close();
  });

  it('cannot change a command into one that policy refuses', async () => {
    script('change.sh', `echo '{"action": "modify", "tool_input": {"command": "mkfs.ext4 /dev/sda"}}'`);
    configure(forTerminal('change.sh'));
    const caisson = await accepted();
    await expect(caisson.run({ taskId: 'build', command: ['true'] })).rejects.toEqual(refusal('in every mode'));
    await caisson.close();
  });

  it('sees what the one before it has made of the command', async () => {
    script('one.sh', `echo '{"action": "modify", "tool_input": {"argv": ["echo", "a b"]}}'`);
    script('two.sh', `cat > ${home}/seen`);
    configure(forTerminal('one.sh, two.sh'));
    const caisson = await accepted();
    expect((await caisson.run({ taskId: 'build', command: ['false'] })).stdout.text).toBe('a b\n');
    expect(JSON.parse(readFileSync(join(home, 'seen'), 'utf8'))).toMatchObject({
      tool_input: { command: "echo 'a b'", argv: ['echo', 'a b'] },
    });
    await caisson.close();
  });

  it('of execute_code sees programs, and of * sees everything', async () => {
    script('all.sh', `cat >> ${home}/seen; echo >> ${home}/seen`);
    configure(`hooks: {pre_tool_call: {execute_code: [all.sh], '*': [{command: [all.sh, x]}]}}\n`);
    const caisson = await accepted();
    const code = { language: 'bash', text: 'true' } as const;
    await caisson.run({ taskId: 'build', code });
    await caisson.run({ taskId: 'build', command: ['true'] });
    const tools = readFileSync(join(home, 'seen'), 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { tool_name: string }).tool_name]));
    expect(tools).toEqual(['execute_code', 'execute_code', 'terminal']);
    await caisson.close();
  });
});

it('is not accepted by a command that Caisson runs', async () => {
  script('log.sh', 'exit 0');
  configure(forTerminal('log.sh'));
  const env = { PATH: process.env['PATH'], HOME: home, CAISSON_EXEC: 'exec_1' };
  const caisson = await openCaisson({ home, env, cwd: home });
  await expect(caisson.policy.hooks.accept([])).rejects.toMatchObject({ code: 'permission_denied' });
  expect((await caisson.policy.hooks.list()).map(({ state }) => state)).toEqual(['new']);
  await caisson.close();
});

describe('a hook that fails (CP-22)', () => {
  const failures: Readonly<Record<string, readonly [string, string]>> = {
    'takes too long': ['sleep 30 & sleep 30', 'did not answer within 1 s'],
    'writes no JSON': ['echo hello', 'no JSON'],
    crashes: ['kill -SEGV $$', 'ended by SIGSEGV'],
    'exits with an error': ['exit 7', 'exited with 7'],
    'writes ten mebibytes': ['head -c 10485760 /dev/zero', 'wrote more than'],
  };

  it.each(Object.keys(failures))(
    '%s refuses, unless it may fail',
    async (name) => {
      const [body = '', message = ''] = failures[name] ?? [];
      script('hook.sh', body);
      configure(forTerminal('{command: hook.sh, timeout: 1}'));
      const caisson = await accepted();
      await expect(caisson.run({ taskId: 'build', command: ['true'] })).rejects.toEqual(refusal(message));
      await caisson.close();
      configure(forTerminal('{command: hook.sh, timeout: 1, fail_closed: false}'));
      const lenient = await open();
      expect((await lenient.run({ taskId: 'build', command: ['true'] })).exit.exitCode).toBe(0);
      await lenient.close();
    },
    20_000,
  );

  it('is killed with all it started when its time is over', async () => {
    script('hook.sh', `(sleep 3; echo late > ${home}/late) & sleep 30`);
    configure(forTerminal('{command: hook.sh, timeout: 1}'));
    const caisson = await accepted();
    await expect(caisson.run({ taskId: 'build', command: ['true'] })).rejects.toEqual(refusal('did not answer'));
    await sleep(3000);
    expect(existsSync(join(home, 'late'))).toBe(false);
    await caisson.close();
  }, 20_000);
});

describe('consent', () => {
  it('cannot be given to hooks of a file that is not read, which is reported', async () => {
    writeFileSync(join(home, 'cli-config.yaml'), forTerminal('hook.sh'));
    const caisson = await open();
    expect(caisson.config.notices).toContainEqual(expect.stringMatching(/^cli-config\.yaml .* is not read/));
    expect(await caisson.policy.hooks.list()).toEqual([]);
    await caisson.close();
  });

  it('is needed, and pinned to what is in the file', async () => {
    const path = script('hook.sh', 'true');
    configure(forTerminal('hook.sh'));
    const caisson = await open();
    const run = () => caisson.run({ taskId: 'build', command: ['true'] });
    await expect(run()).rejects.toEqual(refusal('has not accepted it yet'));
    expect(await caisson.policy.hooks.accept(['hook.sh'])).toMatchObject([{ path, state: 'accepted' }]);
    await run();
    expect(statSync(join(home, 'hooks-accepted.json')).mode & 0o777).toBe(0o600);
    script('hook.sh', 'true # changed');
    await expect(run()).rejects.toEqual(refusal('has changed since'));
    expect(await caisson.policy.hooks.list()).toMatchObject([{ state: 'changed' }]);
    await caisson.close();
  });

  it('covers each argument that names a file, and runs what was compared', async () => {
    const path = script('text.sh', `echo "$0" >${home}/ran`);
    configure(forTerminal(`{command: [/bin/sh, ${path}, /dev/null, word]}, {command: [/bin/sh, text.sh]}`));
    const caisson = await open();
    const run = () => caisson.run({ taskId: 'build', command: ['true'] });
    const [view] = await caisson.policy.hooks.accept(['/bin/sh']);
    expect(view?.files.map((file) => file.path)).toEqual([realpathSync('/bin/sh'), path]);
    await run();
    const ran = readFileSync(join(home, 'ran'), 'utf8').trim();
    expect(ran.startsWith(join(home, 'hooks-pinned'))).toBe(true);
    expect(readFileSync(ran, 'utf8')).toBe(readFileSync(path, 'utf8'));
    writeFileSync(path, `touch ${home}/taken\n`);
    await expect(run()).rejects.toEqual(refusal('has changed since'));
    expect(await caisson.policy.hooks.list()).toMatchObject([{ state: 'changed' }, { state: 'changed' }]);
    expect(existsSync(join(home, 'taken'))).toBe(false);
    await caisson.close();
  });

  it('can be given to what is new, and still not to what has changed', async () => {
    script('hook.sh', 'true');
    configure(`hooks: {pre_tool_call: {terminal: [hook.sh]}, auto_accept: true}\n`);
    const caisson = await open();
    const run = () => caisson.run({ taskId: 'build', command: ['true'] });
    await run();
    script('hook.sh', 'true # changed');
    await expect(run()).rejects.toEqual(refusal('has changed since'));
    await caisson.close();
  });

  it('is of no use for a script that others may write, or that is not there', async () => {
    const path = script('hook.sh', 'true');
    configure(forTerminal('hook.sh'));
    const caisson = await accepted();
    chmodSync(path, 0o777);
    await expect(caisson.run({ taskId: 'build', command: ['true'] })).rejects.toEqual(
      refusal('other users may write it'),
    );
    rmSync(path);
    await expect(caisson.run({ taskId: 'build', command: ['true'] })).rejects.toEqual(refusal('ENOENT'));
    expect(await caisson.policy.hooks.accept([])).toMatchObject([{ state: 'unusable' }]);
    await caisson.close();
  });

  it('is given on the command line', () => {
    const caisson = (...args: string[]) =>
      spawnSync(process.execPath, [program, '--home', home, ...args], {
        encoding: 'utf8',
        env: { PATH: '/usr/bin:/bin' },
      });
    script('hook.sh', `echo '{"action": "block", "message": "not here"}'`);
    configure(forTerminal('hook.sh'));
    expect(caisson('run', '--task', 'build', '--', 'true').stderr).toContain('caisson hooks accept');
    expect(caisson('hooks', 'ls').stdout).toMatch(/terminal +new +[0-9a-f]{12} +hook\.sh\n/);
    expect(caisson('hooks', 'accept').status).toBe(0);
    const { status, stderr } = caisson('run', '--task', 'build', '--', 'true');
    expect([status, stderr]).toEqual([126, expect.stringContaining('not here')]);
    expect(caisson('hooks', 'accept', 'other.sh').status).toBe(125);
  }, 120_000);
});
