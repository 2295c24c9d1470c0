/** What one call says about its own rules, where the service itself has rules or runs inside a command. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Guard } from '../../src/guard/open.ts';
import type { Said } from '../../src/values/caller.ts';
import { call, configured, guardOn } from './world.ts';

const risky = 'rm -rf ./build';

const codeOf = async (guard: Guard, command: string, said: Said): Promise<unknown> =>
  await guard.gate.admit(call(command), { said }).then(
    () => null,
    (error: { readonly code: string }) => error.code,
  );

describe('what one call says', () => {
  it('may allow and skip questions', async () => {
    const guard = await guardOn(configured(''));
    expect(await codeOf(guard, risky, {})).toBe('approval_required');
    expect(await codeOf(guard, risky, { rules: { allow: [`terminal(${risky})`] } })).toBeNull();
    expect(await codeOf(guard, risky, { yolo: true })).toBeNull();
    expect(await codeOf(guard, risky, {})).toBe('approval_required');
  });

  it('only tightens where the service runs inside a command', async () => {
    const guard = await guardOn(configured(''), { env: { CAISSON_EXEC: 'exec_x' } });
    expect(await codeOf(guard, risky, { rules: { allow: [`terminal(${risky})`] } })).toBe('approval_required');
    expect(await codeOf(guard, risky, { yolo: true })).toBe('approval_required');
    expect(await codeOf(guard, 'echo a', { rules: { deny: ['terminal(echo:*)'] } })).toBe('policy_denied');
  });

  it('does not skip questions under the profile strict', async () => {
    const guard = await guardOn(configured('policy: {profile: strict}'));
    expect(await codeOf(guard, 'touch a', { yolo: true })).toBe('approval_required');
  });

  it('adds to the rules of the command line and the project of the service, and replaces neither', async () => {
    const made = configured('');
    mkdirSync(join(made.project, '.caisson'));
    writeFileSync(join(made.project, '.caisson', 'permissions.yaml'), 'deny: ["terminal(echo:*)"]\n');
    const guard = await guardOn(made, { rules: { deny: ['terminal(touch:*)'] } });
    const other = configured('').project;
    mkdirSync(join(other, '.caisson'));
    writeFileSync(join(other, '.caisson', 'permissions.yaml'), 'deny: ["terminal(ls:*)"]\n');
    const said = { directory: other, rules: { deny: ['terminal(cat:*)'] } };
    for (const command of ['echo a', 'touch a', 'ls a', 'cat a'])
      expect([command, await codeOf(guard, command, said)]).toEqual([command, 'policy_denied']);
    expect(await codeOf(guard, 'ls a', {})).toBeNull();
  });

  it('is the same book of rules as that of a command line that says it', async () => {
    const said = { rules: { deny: ['terminal(echo:*)'] } };
    const [through, own] = [await guardOn(configured('')), await guardOn(configured(''), said)];
    expect((await through.rulebook.of('build', said)).version).toBe((await own.rulebook.of('build')).version);
    expect((await through.rulebook.of('build', said)).version).not.toBe((await through.rulebook.of('build')).version);
  });

  it('concerns commands in a container too where it forbids', async () => {
    const guard = await guardOn(configured(''));
    const inside = call('echo a', { reach: 'container' });
    await guard.gate.admit(inside, {});
    await expect(guard.gate.admit(inside, { said: { rules: { deny: ['terminal(echo:*)'] } } })).rejects.toMatchObject({
      code: 'policy_denied',
    });
  });
});
