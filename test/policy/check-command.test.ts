import { describe, expect, it } from 'vitest';
import { cli } from '../cli/cli.ts';
import { containing } from '../matchers.ts';

describe('policy check', () => {
  it.each([
    ['local', 'ls -la', 0, 'allow'],
    ['local', 'rm -r x', 2, 'ask'],
    ['local', 'rm -rf /', 3, 'deny'],
    ['docker', 'rm -rf /', 0, 'allow'],
  ] as const)('on %s judges %j by exit code %i', async (backend, command, exitCode, verdict) => {
    const ended = await cli(['policy', 'check', '--backend', backend, command]);
    expect([ended.exitCode, ended.stdout.split(/[ \n]/)[0], ended.stderr]).toEqual([exitCode, verdict, '']);
  });

  it('answers JSON for one command, with places in its text', async () => {
    const { stdout } = await cli(['policy', 'check', '--backend', 'local', '--json', 'ls; rm -r x']);
    expect(JSON.parse(stdout)).toEqual({
      command: 'ls; rm -r x',
      verdict: 'ask',
      tier: 'dangerous',
      findings: [{ rule: 'D1', description: 'recursive delete', start: 4, end: 11 }],
    });
  });

  it('takes rules, a mode and a profile', async () => {
    const under = [
      'policy',
      'check',
      '--backend',
      'docker',
      '--mode',
      'supervised',
      '--allow',
      'terminal(git:*)',
      '--deny',
      'terminal(git push:*)',
    ];
    expect((await cli([...under, 'git log'])).exitCode).toBe(0);
    expect((await cli([...under, 'git push'])).exitCode).toBe(3);
    expect((await cli([...under, 'make'])).exitCode).toBe(2);
    expect((await cli(['policy', 'check', '--profile', 'strict', '--backend', 'local', 'sudo ls'])).exitCode).toBe(3);
    expect((await cli(['policy', 'check', '--mode', 'bold', 'ls'])).stderr).toContain('autonomous');
    expect((await cli(['policy', 'check', '--allow', 'terminal(', 'ls'])).stderr).toContain('terminal(');
  });

  it('escapes what it shows', async () => {
    const { stdout } = await cli(['policy', 'check', '--backend', 'local', 'ls \u001b[2K\u202e']);
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stdout).toContain('\\x1b');
  });

  it('answers lines in order, and stops at one that is no question', async () => {
    const commands = [
      'ls',
      'rm -rf /',
      'reboot',
      'echo "\u2028"',
      ...Array.from({ length: 2000 }, (_, at) => `echo ${at}`),
    ];
    const { stdout, exitCode } = await cli(['policy', 'check', '--backend', 'local', '--json'], {
      input: commands.map((command) => `${JSON.stringify({ command })}\n`).join(''),
    });
    const answers = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect([exitCode, answers.length]).toEqual([0, commands.length]);
    expect(
      answers.map((answer) =>
        typeof answer === 'object' && answer !== null && 'command' in answer ? answer.command : null,
      ),
    ).toEqual(commands);
    expect(answers.slice(0, 2)).toMatchObject([{ verdict: 'allow' }, { verdict: 'deny', tier: 'hardline' }]);

    for (const line of ['{"cmd": 1}\n', 'ls\n', '[]\n', '{"command": 5}\n']) {
      const ended = await cli(['policy', 'check', '--backend', 'local', '--json'], {
        input: `{"command":"ls"}\n${line}`,
      });
      expect([ended.exitCode, ended.stderr]).toEqual([125, containing('line 2')]);
    }
  });
});
