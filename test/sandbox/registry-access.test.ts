/** Which login is used for which image and owner. */
import { expect, it } from 'vitest';
import { accessOf, registryAccess } from '../../src/sandbox/registry-access.ts';
import { registryOf, registryProblem } from '../../src/values/image.ts';

const login = (username: string) => ({ username, password_env: `OF_${username.toUpperCase()}` });
const registries = {
  registries: { 'docker.io': login('operator'), 'ghcr.io': login('operator') },
  owners: {
    alice: { registries: { 'ghcr.io': login('alice') } },
    erin: { images: ['ghcr.io/x/y', 'busybox'] },
  },
};
const of = (owner: string, image: string) => {
  const found = accessOf(registries, { owner, image, host: registryOf(image) });
  return found === null ? null : [found.login?.username ?? null, found.isAsked];
};

it.each([
  ['operator', 'busybox', ['operator', false]],
  ['operator', 'ghcr.io/x/y:1', ['operator', false]],
  ['operator', 'quay.io/x/y', null],
  ['alice', 'ghcr.io/x/y', ['alice', true]],
  ['alice', 'busybox', [null, true]],
  ['bob', 'ghcr.io/x/y', [null, true]],
  ['bob', 'quay.io/x/y', null],
  ['bob', `sha256:${'0'.repeat(64)}`, [null, true]],
  ['erin', 'ghcr.io/x/y', null],
  ['erin', 'ghcr.io/x/z', [null, true]],
  ['constructor', 'ghcr.io/x/y', [null, true]],
])('%s has %s by %j', (owner, image, expected) => {
  expect(of(owner, image)).toEqual(expected);
});

it.each([
  ['busybox', 'docker.io'],
  ['library/busybox:1', 'docker.io'],
  ['index.docker.io/x/y', 'docker.io'],
  ['localhost/x', 'localhost'],
  ['docker://GHCR.io/x', 'ghcr.io'],
  ['127.0.0.1:5000/x@sha256:1', '127.0.0.1:5000'],
  ['/images/x.sif', null],
  ['docker-archive:/x.tar', null],
  [`sha256:${'0'.repeat(64)}`, null],
])('%s is of the registry %s', (image, host) => expect(registryOf(image)).toBe(host));

it.each(['', 'ghcr', 'GHCR.io', 'https://ghcr.io', 'ghcr.io/x', 'a b.c', 'index.docker.io', 'x.y:port'])(
  '%j is no host of a registry',
  (host) => expect(registryProblem(host)).toContain('expected the host'),
);

it('a backend that cannot log in is refused an image that needs it, before it is asked', async () => {
  const guarantees: Parameters<typeof registryAccess>[1]['guarantees'] = Object.create(null);
  const placed: Parameters<typeof registryAccess>[1]['placed'] = Object.assign(Object.create(null), {
    image: 'ghcr.io/x',
  });
  const context = { registries, env: { OF_OPERATOR: 'secret' } };
  await expect(registryAccess(context, { taskId: 'build', placed, guarantees })).rejects.toMatchObject({
    code: 'not_supported',
  });
  const can = Object.assign(guarantees, { registryLogins: true });
  expect(await registryAccess(context, { taskId: 'build', placed, guarantees: can })).toEqual({
    host: 'ghcr.io',
    login: { username: 'operator', password: 'secret' },
    isAsked: false,
  });
});
