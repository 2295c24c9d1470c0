/** Shells that read their commands later, under rules. */
import { describe, expect, it } from 'vitest';
import { askedBy } from '../../src/policy/approval/title.ts';
import { choicesFor, grantedBy } from '../../src/policy/approval/needed.ts';
import { openPolicy } from '../../src/policy/policy.ts';
import type { SettingsInput } from '../../src/policy/settings.ts';
import type { Reach } from '../../src/policy/types.ts';
import { shellStarter } from '../../src/values/shell-starter.ts';

const push: SettingsInput = { rules: { deny: ['terminal(git push:*)'] } };
const sentence =
  'its later input is not judged, so that rule terminal(git push:*) could not be held; the answer session allows such shells in the task';

async function decided(
  settings: SettingsInput,
  command: string | readonly [string, ...string[]],
  { reach = 'container', stdin = true }: { readonly reach?: Reach; readonly stdin?: boolean } = {},
) {
  return (await openPolicy(settings)).decide({ command, cwd: '/workspace', reach, stdin });
}

describe('in a container, under a rule', () => {
  it.each([[['sh']], [['bash', '-l']], [['env', 'sh', '-s']], [shellStarter[2]]] as const)(
    'a shell on input that is not judged is asked about in one sentence: %j',
    async (command) => {
      const { verdict, findings } = await decided(push, command);
      expect([verdict, [...new Set(findings.map(({ description }) => description))]]).toEqual(['ask', [sentence]]);
      expect(askedBy(findings)).toEqual({
        title: 'ASKED BY RULE terminal(git push:*)',
        rule: 'terminal(git push:*)',
      });
    },
  );

  it('the answer session covers all such shells of the task, and no other danger', async () => {
    const { findings } = await decided(push, ['sh']);
    expect(choicesFor(findings, null)).toEqual(['once', 'session', 'deny']);
    expect(grantedBy(findings, 'exact')).toMatchObject([
      { key: 'U11', covers: 'shells whose input is not judged', isExact: false },
    ]);
  });

  it('several rules are counted, and a mode is named where no rule forbids', async () => {
    const two = await decided({ rules: { deny: ['terminal(git push:*)'], ask: ['terminal(npm:*)'] } }, ['sh']);
    expect(two.findings[0]?.description).toContain('rule terminal(git push:*) and 1 more could not be held');
    const { findings } = await decided({ mode: 'supervised' }, ['sh']);
    expect(findings[0]?.description).toContain('so that mode supervised could not be held');
    expect(askedBy(findings)).toEqual({ title: 'ASKED BY MODE supervised', rule: null });
  });

  it('a rule about the shell itself still counts, also about the one that caisson sh starts', async () => {
    expect((await decided({ rules: { deny: ['terminal(bash:*)'] } }, shellStarter[2])).verdict).toBe('deny');
    expect((await decided({ rules: { deny: ['terminal(sh:*)'] } }, ['sh'])).verdict).toBe('deny');
  });

  it('a shell with a script, and a program that is no shell, are not asked about', async () => {
    for (const command of [['sh', 'build.sh'], ['cat'], ['python3']] as const)
      expect((await decided(push, command)).verdict).toBe('allow');
    expect((await decided(push, ['sh'], { stdin: false })).verdict).toBe('allow');
  });
});

describe('elsewhere', () => {
  it('a container without rules is not asked about, and a host is asked about as a danger', async () => {
    expect((await decided({}, ['sh'])).verdict).toBe('allow');
    const { verdict, findings } = await decided({}, ['sh'], { reach: 'host' });
    expect([verdict, findings.map(({ description }) => description)]).toEqual([
      'ask',
      ['its later input is not judged'],
    ]);
    expect(askedBy(findings).title).toBe('DANGEROUS COMMAND');
  });

  it('a title names both, a danger and a rule', async () => {
    const { findings } = await decided({ rules: { ask: ['terminal(rm:*)'] } }, 'rm -rf build', {
      reach: 'host',
      stdin: false,
    });
    expect(askedBy(findings)).toEqual({
      title: 'DANGEROUS COMMAND, ASKED BY RULE terminal(rm:*)',
      rule: 'terminal(rm:*)',
    });
  });
});
