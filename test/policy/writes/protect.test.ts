import { describe, expect, it } from 'vitest';
import { mirrorInside, protectionOf } from '../../../src/policy/writes/protect.ts';

const place = { userHome: '/home/me', home: '/home/me/.caisson' };
const kindOf = (path: string, home = place.home) => protectionOf(path, { ...place, home })?.kind ?? null;

describe('the list of files that are not written (CP-25)', () => {
  it.each([
    '/home/me/.ssh/authorized_keys',
    '/home/me/.ssh/id_rsa',
    '/home/me/.ssh/id_ed25519',
    '/home/me/.hermes/config.yaml',
    '/home/me/.hermes/.env',
    '/etc/sudoers',
    '/etc/sudoers.d/x',
    '/etc/passwd',
    '/etc/shadow',
    '/home/me/.bashrc',
    '/home/me/.zshrc',
    '/home/me/.netrc',
    '/home/me/.git-credentials',
    '/home/me/.aws/credentials',
    '/home/me/.npmrc',
    '/home/me/.caisson/config.yaml',
    '/home/me/.caisson/audit/audit.ndjson',
    '/home/me/.caisson',
    '/home/me/.kube/config',
  ])('has %s, whether it exists or not', (path) => expect(kindOf(path)).toBe('protected'));

  it.each([
    '/home/me/project/.ssh-notes',
    '/home/me/project/config.yaml',
    '/etc/hosts.d/x',
    '/home/me/.bashrc.d/x',
    '/srv/passwd',
    '/home/other/.bashrc',
    '/home/me/.caissonry/x',
    '/home/me/.caisson/sandboxes/docker/build/workspace/x',
    '/home/me',
  ])('has not %s', (path) => expect(kindOf(path)).toBeNull());

  it('has the state directory wherever it is', () =>
    expect(kindOf('/srv/state/config.yaml', '/srv/state')).toBe('protected'));
});

describe('another profile', () => {
  const office = '/home/me/.caisson/profiles/office';

  it.each([
    [
      '/home/me/.caisson/profiles/office/skills/x.md',
      place.home,
      'skills of the profile office, and the active one is default',
    ],
    ['/home/me/.caisson/profiles/play/cron/x', office, 'cron of the profile play, and the active one is office'],
    ['/home/me/.caisson/memories/x', office, 'memories of the profile default, and the active one is office'],
  ])('is noticed at %s', (path, home, description) =>
    expect(protectionOf(path, { ...place, home })).toEqual({ kind: 'cross-profile', description }),
  );

  it('is not the own one', () => expect(kindOf(`${office}/skills/x`, office)).not.toBe('cross-profile'));
});

describe('a mirror', () => {
  it('is noticed on the host and in a container', () => {
    expect(kindOf('/home/me/.caisson/sandboxes/docker/build/home/.hermes/config.yaml')).toBe('sandbox-mirror');
    expect(mirrorInside('/root/.hermes/config.yaml')?.kind).toBe('sandbox-mirror');
    expect(mirrorInside('/root/.hermesx/config.yaml')).toBeNull();
    expect(mirrorInside('/workspace/x')).toBeNull();
  });
});
