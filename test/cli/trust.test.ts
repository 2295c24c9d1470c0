/** `doctor --trust`: what it shows, whom it asks, and what it refuses. */
import { describe, expect, it } from 'vitest';
import type { HostKey } from '../../src/service/api.ts';
import { CaissonError } from '../../src/errors.ts';
import { cli } from './cli.ts';

const print = (letter: string): string => `SHA256:${letter.repeat(43)}`;

function key(letter: string, standing: HostKey['standing']): HostKey {
  const refusal = new CaissonError('unauthenticated', `refused: ${letter}`, { remedy: `compare ${print(letter)}` });
  const host = `me@${letter}\u001b[2J:22`;
  return { host, type: 'ssh-ed25519', fingerprint: print(letter), standing, refusal };
}

const trust = ['doctor', 'docker', '--trust'];

describe('doctor --trust', () => {
  it('shows the fingerprint and confirms the key on a yes', async () => {
    const keys = [key('a', 'unknown')];
    const { exitCode, stderr, double } = await cli(trust, { keys, present: true, terminal: true, input: 'yes\n' });
    expect(stderr).toContain(`ssh-ed25519 ${print('a')}`);
    expect(stderr).not.toContain('\u001b[2J');
    expect(double.confirmed).toEqual([print('a')]);
    expect(exitCode).toBe(0);
  });

  it.each(['', '\n', 'y\n', 'no\n', 'yes please\n'])('confirms nothing when the answer is %j', async (input) => {
    const { exitCode, double } = await cli(trust, {
      keys: [key('a', 'unknown')],
      present: true,
      terminal: true,
      input,
    });
    expect(double.confirmed).toEqual([]);
    expect(exitCode).toBe(125);
  });

  it('asks no person where it is absent, and says which fingerprint to give', async () => {
    const keys = [key('a', 'unknown')];
    for (const setting of [{ present: false, terminal: true }, { present: true }]) {
      const { exitCode, stderr, double } = await cli(trust, { keys, input: 'yes\n', ...setting });
      expect(exitCode).toBe(125);
      expect(stderr).toContain(`compare ${print('a')}`);
      expect(double.confirmed).toEqual([]);
    }
  });

  it('confirms exactly the keys whose fingerprints were given', async () => {
    const keys = [key('a', 'unknown'), key('b', 'unknown')];
    const given = await cli([...trust, '--fingerprint', print('a'), '--fingerprint', print('b')], { keys });
    expect([given.exitCode, given.double.confirmed]).toEqual([0, [print('a'), print('b')]]);
    const other = await cli([...trust, '--fingerprint', print('c')], { keys });
    expect([other.exitCode, other.double.confirmed]).toEqual([125, []]);
  });

  it('confirms nothing while one key is refused, whatever fingerprint was given', async () => {
    const keys = [key('a', 'unknown'), key('b', 'refused')];
    const { exitCode, stderr, double } = await cli([...trust, '--fingerprint', print('b')], { keys });
    expect([exitCode, double.confirmed]).toEqual([125, []]);
    expect(stderr).toContain('refused: b');
  });

  it('has nothing to ask when all keys are known', async () => {
    expect((await cli(trust, { keys: [key('a', 'known')] })).exitCode).toBe(0);
  });

  it.each([
    [['doctor', '--trust'], /one backend/],
    [['doctor', 'docker', 'ssh', '--trust'], /one backend/],
    [['doctor', 'docker', '--fingerprint', print('a')], /is for --trust/],
    [[...trust, '--fingerprint', 'MD5:00'], /is no fingerprint/],
  ])('refuses %j', async (argv, message) => {
    const { exitCode, stderr } = await cli(argv, { keys: [] });
    expect(exitCode).toBe(125);
    expect(stderr).toMatch(message);
  });
});
