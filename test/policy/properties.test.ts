import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../src/shell/analyse.ts';
import { DecisionTime } from '../../src/shell/time.ts';
import { folded, withoutAnsi } from '../../src/shell/bytes.ts';
import { judge } from '../../src/policy/judge.ts';
import { policyOn } from '../../src/policy/policy.ts';
import { settingsOf } from '../../src/policy/settings.ts';
import { dangerousRules, hardlineRules } from '../../src/policy/tiers/lists.ts';
import type { Verdict } from '../../src/policy/types.ts';
import { decide, guarded } from './opened.ts';

const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
const level = (command: string, policy = guarded): number => strictness[decide(command, { policy }).verdict];
const standard = (command: string): number => strictness[decide(command).verdict];

const pieces = [
  'ls',
  'git status',
  'rm -r x',
  'rm -rf /',
  'curl e',
  'echo',
  'x=1',
  '$x',
  '"',
  "'",
  '\\',
  '\n',
  ' ',
  ';',
  '&&',
  '|',
  '&',
  '(',
  ')',
  '{',
  '}',
  '$(',
  '`',
  '<(',
  '<<E',
  'E',
  '>',
  '/etc/x',
  'if',
  'then',
  'fi',
  'do',
  'done',
  '\u00a0',
  '\uff52\uff4d',
  '\u200b',
  '\u001b[0m',
  '\r',
  '#',
  'sh -c',
  'eval',
  'cd /',
  '~',
  '*',
  '$IFS',
  "$'\\x72'",
];
const shellText = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(''));
const spaced = fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((parts) => parts.join(' '));
const anyText = fc.oneof(shellText, spaced, fc.string({ unit: 'binary', maxLength: 60 }));
const whole = fc.constantFrom(
  'ls',
  'git status',
  'cat a b',
  'rm x',
  'curl e',
  'rm -rf /',
  'rm -r x',
  'python3 -c x',
  'id',
  'reboot',
  'sudo -S id',
  'echo hi',
  'git push -f',
);
const joint = fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n', ' ;\t');

describe('properties', () => {
  it('CP-19: a text is judged at least as strictly as what a careless reader takes it for', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const view = folded(text);
        return view === null || (level(text) >= level(view) && standard(text) >= standard(view));
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [String.raw`cat $'a\'; rm -rf / #'`, String.raw`cat \$'a\'; rm -rf / #'`],
    [String.raw`$'\'; $'\'`, String.raw`\$'\'; \$'\'`],
    [String.raw`\$'a' $'b\'`, String.raw`\$'a' \$'b\'`],
    ["echo $'a'", null],
  ])('another shell reads %j as %j', (text, view) => expect(withoutAnsi(text)).toBe(view));

  it('many texts that another shell reads otherwise are read', () => {
    const text = String.raw`$'\' `.repeat(20_000);
    expect(withoutAnsi(text)).toBe(String.raw`\$'\' `.repeat(20_000));
    expect(level(text)).toBeGreaterThan(0);
  });

  it('adding a command to a list never loosens', () => {
    fc.assert(
      fc.property(
        fc.array(whole, { minLength: 1, maxLength: 5 }),
        whole,
        joint,
        fc.boolean(),
        (commands, added, between, first) => {
          const before = commands.join(between);
          const after = first ? `${added}${between}${before}` : `${before}${between}${added}`;
          expect(level(after)).toBeGreaterThanOrEqual(Math.max(level(before), level(added)));
          expect(standard(after)).toBeGreaterThanOrEqual(Math.max(standard(before), standard(added)));
        },
      ),
      { numRuns: 250 },
    );
  });

  it('adding a deny or ask rule never loosens', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.constantFrom<readonly ['ask' | 'deny', string]>(
          ['deny', 'terminal(ls:*)'],
          ['ask', 'terminal'],
          ['deny', 'terminal(git status)'],
        ),
        (text, [verdict, rule]) => {
          const more = settingsOf({
            mode: guarded.settings.mode,
            sources: [{ name: 'project', rules: { [verdict]: [rule] }, mayOnlyTighten: true }],
            rules: { allow: ['terminal(ls:*)', 'terminal(git:*)'] },
          });
          const less = settingsOf({
            mode: guarded.settings.mode,
            rules: { allow: ['terminal(ls:*)', 'terminal(git:*)'] },
          });
          const analysis = analyse(text, { cwd: '/w' }, { parse: null, time: new DecisionTime() });
          expect(strictness[judge(analysis, more, 'host').verdict]).toBeGreaterThanOrEqual(
            strictness[judge(analysis, less, 'host').verdict],
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it('CP-20: without the grammar everything is asked for or denied, and hardline is still denied', () => {
    const blind = policyOn(settingsOf(), null);
    const cut = policyOn(settingsOf(), () => null);
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decide(text, { policy: blind }).verdict).not.toBe('allow');
        expect(decide(text, { policy: cut }).verdict).not.toBe('allow');
      }),
      { numRuns: 300 },
    );
    for (const command of [
      'rm -rf /',
      'ls; sudo rm -rf /',
      'echo "$(reboot)"',
      'true; mkfs /dev/sda',
      'ls && cat x > /dev/sda',
    ])
      expect(decide(command, { policy: blind }).verdict).toBe('deny');
  });

  it('does not take a command for the one before it', () => {
    const policy = policyOn(settingsOf(), null);
    const argv: [string, ...string[]] = ['ls', 'x'];
    const at = { cwd: '/srv', reach: 'host' } as const;
    const verdicts = () => policy.decide({ command: argv, ...at }).verdict;
    expect(verdicts()).toBe('allow');
    argv[0] = 'reboot';
    expect(verdicts()).toBe('deny');
    argv.splice(0, 2, 'rm', '-rf', '.');
    expect(verdicts()).toBe('ask');
    expect(policy.decide({ command: argv, ...at, cwd: '/etc' }).verdict).toBe('deny');
    expect(policy.decide({ command: argv, ...at, cwd: '/home/me', home: '/home/me' }).verdict).toBe('deny');
    expect(policy.decide({ command: argv, ...at, cwd: '/home/me' }).verdict).toBe('ask');
    expect(policy.decide({ command: ['sh'], ...at, stdin: false }).verdict).toBe('allow');
    expect(policy.decide({ command: ['sh'], ...at, stdin: true }).verdict).toBe('ask');
  });

  it('never throws, and points into the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { start, end } of decide(text).findings)
          expect(0 <= start && start <= end && end <= text.length).toBe(true);
      }),
      { numRuns: 300, examples: [['``'], ['A=`` `b'], ['``; rm -rf x `']] },
    );
  });

  it('what does not parse is never allowed on a host', () => {
    for (const command of [
      'ls "',
      "ls 'a",
      'if true',
      'ls )',
      'for',
      '((',
      'echo $(',
      'case x in',
      '{ ls',
      'ls <<<',
      '&& ls',
      'fi',
      'ls; done',
      'ls | done x',
    ])
      expect([command, decide(command).verdict]).not.toEqual([command, 'allow']);
  });

  it('keeps what its rules know of programs out of the reach of names such as constructor', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'])
      expect(() => decide(`${name} x`, { policy: guarded })).not.toThrow();
    expect(hardlineRules.length + dangerousRules.length).toBeGreaterThan(50);
  });
});

describe('CP-09 volume', () => {
  const within = (command: string): { readonly ms: number; readonly verdict: Verdict } => {
    const started = performance.now();
    const { verdict } = decide(command);
    return { ms: performance.now() - started, verdict };
  };

  // The bounds are generous, for machines that do other things too; the figures are in bench/.
  it.each([
    ['1 MiB of text', `echo ${'a'.repeat(2 ** 20 - 5)}`, 'ask'],
    ['20,000 commands', `${Array.from({ length: 20_000 }, (_, at) => `x${at}`).join(';')};rm -rf /`, 'deny'],
    ['5,000 levels', `${'$('.repeat(5000)}rm -rf /${')'.repeat(5000)}`, 'deny'],
    ['quotes that stay open', `"$(`.repeat(5000), 'ask'],
    ['braces that stay open', `${'{a,'.repeat(20_000)}; {rm,-rf,/}`, 'deny'],
    ['braces in braces', `${'{a,'.repeat(10_000)}${'}'.repeat(10_000)}`, 'ask'],
    ['a directory deeper than any', `${'cd a;'.repeat(10_000)} rm -rf ../b`, 'ask'],
    ['wrappers of wrappers', `${'xargs -I{} '.repeat(8000)} ls`, 'ask'],
    ['one find with many commands', `find . ${'-exec ls \\; '.repeat(5000)}-exec reboot \\;`, 'deny'],
    ['one find with more commands than are looked at', `find /a /b /c /d ${'-exec a \\; '.repeat(90_000)}`, 'ask'],
    ['braces by the thousand', '{a,b}'.repeat(100_000), 'ask'],
    ['patterns that may name any program', '* '.repeat(150_000), 'ask'],
    ['a target that needs many others', `make -f - <<E\nx:${' y'.repeat(400_000)}\nE\n`, 'ask'],
    ['a target with a long recipe', `make -f - <<E\nx:\n${'\ta\n'.repeat(200_000)}E\n`, 'ask'],
    ['a script of sed that writes many files', `sed "${'w /a;'.repeat(150_000)}"`, 'ask'],
    ['one command that writes many files', `dd ${'of=/a '.repeat(150_000)}`, 'ask'],
    ['many flags in one word', `rm -${'r'.repeat(2 ** 19)} a`, 'ask'],
    ['one command with many redirections', `a ${'>b '.repeat(150_000)}`, 'ask'],
    ['a pipeline of many commands', `a${'|b'.repeat(400_000)}`, 'deny'],
    ['more than can be run', `ls ${'a '.repeat(2 ** 20)}`, 'deny'],
  ])('%s is answered', (_name, command, verdict) => {
    const answer = within(command);
    expect(answer.verdict).toBe(verdict);
    expect(answer.ms).toBeLessThan(20_000);
  });
});
