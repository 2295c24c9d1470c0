/** What a refusal says can be done about it, and that it works. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CaissonError } from '../../src/errors.ts';
import type { Call } from '../../src/guard/call.ts';
import type { Guard } from '../../src/guard/open.ts';
import { call, configured, directories, guardOn, refusalOf } from './world.ts';

async function remedyOf({ gate }: Guard, which: Call): Promise<string> {
  const error = await gate.admit(which, {}).then(
    () => null,
    (refused: CaissonError) => refused,
  );
  return error?.remedy ?? '';
}

const added = /add to approvals\.rules\.allow: (.+)$/;

describe('the remedy of a refusal without an approver', () => {
  it.each([
    ['chmod 777 x', ''],
    ['rm -rf a; chmod 777 x', ''],
    ['make test', 'approvals: {tool_mode: supervised}'],
  ])('names the rules by which %s runs', async (command, config) => {
    const [, rules] = added.exec(await remedyOf(await guardOn(configured(config)), call(command))) ?? [];
    const allow = rules?.split(', ') ?? [];
    expect(await refusalOf(await guardOn(configured(config), { rules: { allow } }), call(command))).toBeNull();
  });

  it.each([
    ['that asks by a rule', 'approvals: {rules: {ask: ["terminal(make:*)"]}}', 'make test'],
    ['whose words are not known', '', 'rm -rf "$X"'],
  ])('names none for a command %s', async (_what, config, command) => {
    const remedy = await remedyOf(await guardOn(configured(config)), call(command));
    expect(remedy).toContain('run it from a terminal');
    expect(remedy).not.toContain('approvals.rules');
  });

  it('does not show a command that holds a secret', async () => {
    const masked = (word: string): string => word.replaceAll('hunter22', '[REDACTED]');
    const remedy = await remedyOf(await guardOn(directories()), call('rm -rf /srv/hunter22', { masked }));
    expect(remedy).toContain('terminal(COMMAND)');
    expect(remedy).not.toContain('hunter22');
  });
});

describe('the remedy of a hook that cannot be used', () => {
  it.each([
    ['is not accepted', false, 'caisson hooks accept'],
    ['fails', true, 'correct the hook'],
  ])('that %s is for the operator, not for what runs commands', async (_what, auto, remedy) => {
    const made = configured(`hooks: {pre_tool_call: {terminal: [check.sh]}, auto_accept: ${auto}}`);
    writeFileSync(join(made.home, 'check.sh'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(made.home, 'check.sh'), 0o755);
    const said = await remedyOf(await guardOn(made), call('true'));
    expect(said).toContain(remedy);
    expect(said).not.toContain('another form');
  });
});
