import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { buffer, text } from 'node:stream/consumers';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { strictRequest } from '../../src/guard/strict.ts';
import { openCaisson } from '../../src/main.ts';
import { requestFor } from '../exec/requests.ts';

async function strictly(env: Readonly<Record<string, string>> = {}): ReturnType<typeof openCaisson> {
  const root = await mkdtemp(join(tmpdir(), 'caisson-strict-'));
  const caisson = await openCaisson({
    home: join(root, 'home'),
    env: { PATH: process.env['PATH'] ?? '', HOME: root, ...env },
    cwd: root,
    flags: { 'terminal.backend': 'local', 'policy.profile': 'strict' },
    approver: async () => await Promise.resolve('once'),
  });
  onTestFinished(async () => {
    await caisson.close();
    await rm(root, { recursive: true });
  });
  return caisson;
}

describe('a request under the profile strict', () => {
  const workspace = '/workspace';

  it.each([
    [60_000, 60_000],
    [120_000, 120_000],
    [null, 120_000],
  ])('with a timeout of %s has one of %s', (timeoutMs, expected) => {
    expect(strictRequest(requestFor(['ls'], { cwd: workspace, timeoutMs }), workspace).timeoutMs).toBe(expected);
  });

  it('with a longer timeout than the profile allows is refused, with both', () => {
    expect(() => strictRequest(requestFor(['ls'], { cwd: workspace, timeoutMs: 200_000 }), workspace)).toThrow(
      expect.objectContaining({ code: 'invalid_argument', message: expect.stringContaining('200 s') }),
    );
  });

  it.each([
    ['/workspace', '/workspace'],
    ['/workspace/a/../b', '/workspace/b'],
    ['/workspace/..', null],
    ['/workspace-evil', null],
    ['/workspace/../etc', null],
    ['/', null],
  ])('a command in %s starts in %s, and is refused for null', (cwd, expected) => {
    const request = requestFor(['ls'], { cwd });
    if (expected === null)
      expect(() => strictRequest(request, workspace)).toThrow(expect.objectContaining({ code: 'policy_denied' }));
    else expect(strictRequest(request, workspace).cwd).toBe(expected);
  });

  it('loses keys, and is marked', () => {
    const env = { HERMES_API_KEY: 'a', OPENROUTER_X: 'b', DATABASE_URL: 'c', DATABASE_URL_RO: 'd', HERMES_API: 'e' };
    const { env: left } = strictRequest(requestFor(['ls'], { cwd: workspace, env }), workspace);
    expect(left).toEqual({ HERMES_API: 'e', AGENT_FOUNDRY_RUNTIME: '1' });
  });
});

describe('the service under the profile strict', () => {
  const patience = { timeout: 60_000 };

  it('keeps time, output, place and environment within its bounds', { timeout: 60_000 }, async () => {
    const caisson = await strictly({ CAISSON_EXEC_OUTPUT_BYTES: '50000' });
    const program = 'BEGIN { print ENVIRON["AGENT_FOUNDRY_RUNTIME"] "-" ENVIRON["OPENROUTER_X"] "-" ENVIRON["PLAIN"] }';
    const shown = await caisson.run({ command: ['awk', program], env: { OPENROUTER_X: 'x', PLAIN: 'p' } });
    expect(shown.stdout.text).toBe('1--p\n');
    const { stdout } = await caisson.run({ command: ['sh', '-c', 'head -c 20000 /dev/zero | tr "\\0" x'] });
    const kept = stdout.text.replace(/\n?\[\.\.\. \d+ bytes are left out here \.\.\.\]\n/, '');
    expect([stdout.truncated, stdout.bytes, kept.length <= 8192]).toEqual([true, 20_000, true]);
    await expect(caisson.run({ command: ['ls'], cwd: '/' })).rejects.toMatchObject({ code: 'policy_denied' });
    const { exit } = await caisson.run({ command: ['ls'] });
    expect(exit.exitCode).toBe(0);
    expect((await caisson.config.show()).find(({ key }) => key === 'exec.output_bytes')?.value).toBe(8192);
  });

  it(
    'passes 8 KB of each stream on as it comes, to a reader who is late too, and says that it was cut',
    patience,
    async () => {
      const caisson = await strictly();
      const command = ['sh', '-c', 'head -c 6000000 /dev/zero | tr "\\0" x; echo short >&2'] as const;
      const running = await caisson.exec({ command: [...command] });
      const exit = await running.exit;
      expect([exit.exitCode, exit.stdout, exit.stderr.truncated]).toMatchObject([
        0,
        { bytes: 6_000_000, truncated: true },
        false,
      ]);
      expect(exit.notes).toContain('stdout was cut after 8192 bytes: the profile is strict');
      expect([(await buffer(running.stdout)).length, await text(running.stderr)]).toEqual([8192, 'short\n']);
    },
  );

  it('passes 8 KB of each stream of a session on', patience, async () => {
    const caisson = await strictly();
    await caisson.sandboxes.create({ taskId: 'cut' });
    const at = { taskId: 'cut', name: 'dev' };
    const running = await caisson.sessions.exec({
      ...at,
      text: 'i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done',
    });
    expect((await running.exit).notes).toContain('stdout was cut after 8192 bytes: the profile is strict');
    expect((await buffer(running.stdout)).length).toBe(8192);
    running.ignore('stderr');
    await running.session;
    const next = await caisson.sessions.run({ ...at, text: 'echo $i' });
    expect(next.stdout.text).toBe('3000\n');
    await caisson.sandboxes.remove('cut');
  });

  it('runs programs in a directory of their own', { timeout: 60_000 }, async () => {
    const caisson = await strictly();
    const { stdout } = await caisson.run({ code: { language: 'bash', text: 'pwd' } });
    expect(stdout.text).toMatch(/caisson-code-exec_/);
  });
});
