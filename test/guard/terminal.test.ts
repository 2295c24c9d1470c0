/** Hooks, a scanner and guardrails as somebody at a terminal meets them: the real command line, on a pseudo-terminal. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queue, hasTerminal } from './terminal.ts';

const patience = { timeout: 90_000 };
const hooked = 'hooks: {pre_tool_call: {terminal: [check.sh]}}\n';
const saying = (answer: unknown): string => `cat > /dev/null; echo '${JSON.stringify(answer)}'`;

describe.skipIf(!hasTerminal)('a hook, on a terminal', () => {
  it('does not run before it was accepted, and then blocks with its words', patience, async () => {
    const at = await queue(hooked);
    at.program('check.sh', saying({ action: 'block', message: 'not on a Friday' }));
    const before = await at.caisson('run -q -- echo made').ended;
    expect([before.exitCode, before.stdout.includes('caisson hooks accept')]).toEqual([126, true]);
    expect(await at.caisson('hooks accept').ended).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await at.caisson('run -q -- touch made').ended;
    expect([exitCode, existsSync(join(at.root, 'made'))]).toEqual([126, false]);
    expect(stdout).toContain('not on a Friday');
  });

  it('changes a command, and it is the changed one that is asked about and run', patience, async () => {
    const at = await queue(hooked);
    at.program('check.sh', saying({ action: 'modify', tool_input: { command: `rm -rf ${at.victim}` } }));
    await at.caisson('hooks accept').ended;
    const terminal = at.caisson(`run -q -- sh -c 'echo harmless'`);
    await terminal.wrote('Choice [o/s/a/D]: ');
    terminal.child.stdin?.write('o\r');
    const { exitCode, stdout } = await terminal.ended;
    expect([exitCode, existsSync(at.victim)]).toEqual([0, false]);
    expect(stdout).toContain(`  rm -rf ${at.victim}\r\n`);
    expect(stdout).not.toContain('harmless');
  });

  it('is not run any more once it has changed, and one that fails refuses', patience, async () => {
    const at = await queue(hooked);
    at.program('check.sh', 'exit 1');
    await at.caisson('hooks accept').ended;
    expect((await at.caisson('run -q -- echo hi').ended).exitCode).toBe(126);
    at.program('check.sh', `touch ${at.root}/ran`);
    const { exitCode, stdout } = await at.caisson('run -q -- echo hi').ended;
    expect([exitCode, existsSync(join(at.root, 'ran'))]).toEqual([126, false]);
    expect(stdout).toContain('check.sh');
  });
});

describe.skipIf(!hasTerminal)('tirith, on a terminal', () => {
  const finding = `echo '{"findings": [{"rule_id": "x", "severity": "HIGH", "title": "look-alike address"}]}'`;
  const scanning = (home: string, more: Record<string, string> = {}): Record<string, string> => ({
    CAISSON_SECURITY_TIRITH_PATH: join(home, 'tirith'),
    ...more,
  });

  it('warns in the question, receives the command, and the answer decides', patience, async () => {
    const at = await queue();
    at.program('tirith', `printf '%s\\n' "$@" > ${at.root}/seen\n${finding}\nexit 2`);
    const env = scanning(at.home);
    const yes = at.caisson('run -q -- touch made', env);
    await yes.wrote('Choice [o/s/D]: ');
    yes.child.stdin?.write('o\r');
    const { exitCode, stdout } = await yes.ended;
    expect([exitCode, existsSync(join(at.root, 'made'))]).toEqual([0, true]);
    expect(stdout).toContain('look-alike address');
    expect(readFileSync(join(at.root, 'seen'), 'utf8')).toContain('--non-interactive');
    expect(readFileSync(join(at.root, 'seen'), 'utf8')).toMatch(/^touch made$/m);
    const no = at.caisson('run -q -- touch second', env);
    await no.wrote('Choice');
    no.child.stdin?.write('\r');
    expect((await no.ended).exitCode).toBe(126);
    expect(existsSync(join(at.root, 'second'))).toBe(false);
  });

  it('blocks without a question where that is configured, also with --yolo', patience, async () => {
    const at = await queue('security: {tirith_block: deny}\n');
    at.program('tirith', `${finding}\nexit 1`);
    const env = scanning(at.home);
    const { exitCode, stdout } = await at.caisson('run -q --yolo -- touch made', env).ended;
    expect([exitCode, existsSync(join(at.root, 'made'))]).toEqual([126, false]);
    expect(stdout).toContain('look-alike address');
    expect(stdout).not.toContain('Choice');
  });

  it('that is not there refuses where it must not be passed over', patience, async () => {
    const at = await queue();
    const closed = scanning(at.home, { CAISSON_SECURITY_TIRITH_FAIL_OPEN: 'false' });
    const refused = await at.caisson('run -q -- touch made', closed).ended;
    expect([refused.exitCode, existsSync(join(at.root, 'made'))]).toEqual([126, false]);
    const open = scanning(at.home, { CAISSON_SECURITY_TIRITH_FAIL_OPEN: 'true' });
    expect((await at.caisson('run -q -- touch made', open).ended).exitCode).toBe(0);
  });
});

describe.skipIf(!hasTerminal)('a loop, on a terminal', () => {
  it('is warned of, stopped, and begins anew after a call that changes something', patience, async () => {
    const limits = '{exact_failure: 3, same_tool_failure: 9, idempotent_no_progress: 9}';
    const at = await queue(`tool_loop_guardrails: {enabled: true, hard_stop_after: ${limits}}\n`);
    const failing = async () => await at.caisson(`run --task build -- sh -c 'exit 3'`).ended;
    const first = await failing();
    expect([first.exitCode, first.stdout.includes('has failed')]).toEqual([3, false]);
    for (let n = 2; n <= 3; n += 1) {
      const { exitCode, stdout } = await failing();
      expect(exitCode).toBe(3);
      expect(stdout).toContain(`the same call has failed ${n} times`);
    }
    const stopped = await failing();
    expect(stopped.exitCode).toBe(126);
    expect(stopped.stdout).toContain('not run, since it turns in circles');
    expect((await at.caisson('run -q --task build -- touch made').ended).exitCode).toBe(0);
    expect((await failing()).exitCode).toBe(3);
  });
});
