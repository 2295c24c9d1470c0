import { describe, expect, it } from 'vitest';
import { parsePermission } from '../../../src/policy/permission/rules.ts';
import { matchesPieces, piecesOf } from '../../../src/policy/permission/text-glob.ts';
import { openPolicy } from '../../../src/policy/policy.ts';
import type { Reach } from '../../../src/policy/types.ts';

describe('a pattern over the text of a command', () => {
  it.each([
    ['git push *', 'git push origin', true],
    ['git push *', 'git push', false],
    ['git push*', 'GIT PUSH', true],
    ['*--force*', 'git push --force; echo a/b', true],
    ['rm -r[fi] ?', 'rm -rf x', true],
    ['rm -r[!fi] ?', 'rm -rf x', false],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[]]', ']', true],
    ['a[b', 'a[b', true],
    ['[!]', '[!]', true],
    ['', 'a', false],
  ])('%j over %j: %s', (glob, text, expected) => {
    expect(matchesPieces(piecesOf(glob), text.toLowerCase())).toBe(expected);
  });

  it('takes time proportional to the lengths, whatever the pattern', () => {
    const startedMs = performance.now();
    expect(matchesPieces(piecesOf('*a'.repeat(40)), 'a'.repeat(20_000) + 'b')).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });

  it('can deny and ask, and never allow', () => {
    expect(() => parsePermission('command(git *)', 'allow')).toThrow('can deny and ask, and not allow');
    for (const verdict of ['deny', 'ask'] as const)
      expect(parsePermission('command(git *)', verdict)).toMatchObject({ tool: 'terminal', verdict });
  });
});

const cases: readonly (readonly [glob: string, command: string, denied: boolean])[] = [
  ['git push *', 'git push origin main', true],
  ['git push *', '/usr/bin/git  push   origin', true],
  ['git push *', 'cd /srv && git push origin', true],
  ['git push *', 'sudo -u root git push origin', true],
  ['git push *', "env -S 'git push origin'", true],
  ['git push *', 'bash -c "git push origin"', true],
  ['git push *', 'g""it pu\\sh origin', true],
  ['git push *', 'X=push; git $X origin', true],
  ['git push *', 'echo git push origin', false],
  ['git push *', 'git pull', false],
  ['*secrets/*', 'cat < /srv/secrets/key', true],
  ['*secrets/*', 'cat /srv/public/key', false],
  ['*docker*volume rm*', 'docker volume rm x', true],
];

describe('a rule about the text of commands', () => {
  it.each(cases)('%j and %j: denied %s, on every backend', async (glob, command, denied) => {
    const policy = await openPolicy({ rules: { deny: [`command(${glob})`] } });
    const places: readonly Reach[] = ['host', 'remote-host', 'container', 'container-with-host-paths'];
    for (const reach of places) {
      const { verdict, findings } = policy.decide({ command, reach, cwd: '/srv', home: '/root' });
      expect([verdict === 'deny', findings.some(({ rule }) => rule === `command(${glob})`)]).toEqual([denied, denied]);
    }
  });

  it('is about a program with its arguments too', async () => {
    const policy = await openPolicy({ rules: { deny: ['command(git push *)'] } });
    const command = ['git', 'push', 'origin'] as const;
    expect(policy.decide({ command, reach: 'container', cwd: null })).toMatchObject({ verdict: 'deny', tier: 'rule' });
  });
});
