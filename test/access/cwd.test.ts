import { describe, expect, it } from 'vitest';
import { messagingCwd } from '../../src/access/cwd.ts';

const home = '/home/me';
const state = '/var/lib/caisson';
const cwd = (path: string): string | null => messagingCwd({ HOME: home, MESSAGING_CWD: path }, state);

describe('MESSAGING_CWD', () => {
  it('is where commands of conversations start', () => {
    expect(cwd('/srv/projects/')).toBe('/srv/projects');
    expect(cwd('/home/me/projects')).toBe('/home/me/projects');
    expect([messagingCwd({}, state), cwd('')]).toEqual([null, null]);
  });

  it.each([
    'projects',
    '/',
    '/srv/..',
    home,
    '/home/me/.ssh',
    '/var/lib',
    state,
    `${state}/kept`,
    '/srv/a\nb',
    `/${'a'.repeat(4096)}`,
  ])('is refused as %j', (path) => {
    expect(() => cwd(path)).toThrow(expect.objectContaining({ code: 'failed_precondition' }));
  });
});
