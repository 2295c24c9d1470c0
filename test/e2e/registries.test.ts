/** Images of a registry that wants a login: pulled by a real engine, with the login of the owner alone. */
import { execFileSync } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiOf } from '../../src/service/owned.ts';
import type { CaissonApi } from '../../src/service/api.ts';
import { dockerHost, hostAddress } from '../engines/docker.ts';
import { archiveOf, testImages } from '../engines/images.ts';
import { type Registry, startRegistry } from '../engines/registry.ts';
import { busybox, type Home, makeHome } from './home.ts';

const host = dockerHost();
const address = hostAddress();
const reaches = host !== null && address?.startsWith('198.18.') === true;
const username = 'builder';
const password = 'p4ss-of-alice-w0rd';
const wrong = 'wr0ng-of-carol-w0rd';

describe.skipIf(!reaches)('a registry that wants a login', () => {
  let home: Home;
  let registry: Registry;
  let api: CaissonApi;
  const image = (tag = 'latest'): string => `${registry.address}/caisson-test/private:${tag}`;

  beforeAll(async () => {
    const layer = testImages.find(({ reference }) => reference === busybox);
    if (layer === undefined || address === null) throw new Error('there is no image to offer');
    const offer = { name: 'caisson-test/private', layer: archiveOf(layer), host: address };
    registry = await startRegistry({ ...offer, login: { username, password } });
    home = await makeHome(host);
    const file = join(home.path, 'password-of-dora');
    await writeFile(file, `${password}\n`, { mode: 0o600 });
    const login = (how: string): string => `{"${registry.address}": {username: ${username}, ${how}}}`;
    await writeFile(
      join(home.path, 'config.yaml'),
      [
        'terminal: {backend: docker}',
        'owners:',
        `  alice: {registries: ${login('password_env: PASSWORD_OF_ALICE')}}`,
        `  carol: {registries: ${login('password_env: PASSWORD_OF_CAROL')}}`,
        `  dora: {registries: ${login(`password_file: ${file}`)}}`,
        `  erin: {images: ["${image()}"]}`,
        `  fred: {registries: ${login('password_env: NOT_SET')}}`,
      ].join('\n'),
      { mode: 0o600 },
    );
    api = await home.open({}, { PASSWORD_OF_ALICE: password, PASSWORD_OF_CAROL: wrong });
  }, 60_000);
  afterAll(async () => {
    const left = (await home.engine(['images', '-q', `${registry.address}/caisson-test/private`])).split('\n');
    await home[Symbol.asyncDispose]();
    const dockerImages = left.filter(Boolean);
    if (dockerImages.length > 0) execFileSync('docker', ['-H', host ?? '', 'rmi', '-f', ...dockerImages]);
    await registry.close();
  });

  const bearer = { scopes: ['run', 'read'], bounds: null, limits: { execs: null, requestsPerMinute: null } } as const;
  const as = (owner: string): CaissonApi => apiOf(api, { id: `tok_${owner}`, owner, ...bearer });
  const make = async (owner: string, of = image()) => await as(owner).sandboxes.create({ taskId: 'build', image: of });
  const refusal = async (making: Promise<unknown>) =>
    await making.then(
      () => expect.unreachable(),
      (error: unknown) => {
        const text = JSON.stringify(error) + String(error);
        for (const secret of [password, wrong, Buffer.from(`${username}:${wrong}`).toString('base64')])
          expect(text).not.toContain(secret);
        return error;
      },
    );

  it('refuses a wrong password as that, and a login without a password before it is asked', async () => {
    expect(await refusal(make('carol'))).toMatchObject({
      code: 'permission_denied',
      message: `the registry ${registry.address} refuses the user name and password`,
      remedy: expect.stringContaining('registries'),
    });
    const asked = registry.asked.length;
    expect(await refusal(make('fred'))).toMatchObject({ code: 'failed_precondition' });
    expect(registry.asked.length).toBe(asked);
    expect(await home.containers()).toEqual([]);
  });

  it('gives an image by the login of its owner, which no inspection, file or record has', async () => {
    const { sandbox } = await make('alice');
    const ran = await as('alice').run({
      taskId: 'build',
      existing: true,
      command: ['sh', '-c', 'echo "$OF_IMAGE"; env'],
    });
    expect(ran.stdout.text).toContain('pulled\n');
    const [container = ''] = await home.containers();
    const seen = [await home.engine(['inspect', container]), ran.stdout.text, JSON.stringify(sandbox)];
    seen.push(JSON.stringify(await api.sandboxes.get(sandbox.id)), JSON.stringify(await api.config.show()));
    for (const text of seen) expect(text).not.toContain(password);
    // Exit code 1: nothing is found. The file of dora's login is the only one.
    const found = execFileSync('sh', ['-c', 'grep -rlaF "$1" "$2" || true', 'sh', password, home.path]).toString();
    expect(found.trim()).toBe(join(home.path, 'password-of-dora'));
  });

  it('gives an owner without a login nothing, also when the engine has the image by now', async () => {
    for (const owner of ['bob', 'carol'])
      expect(await refusal(make(owner))).toMatchObject({ code: 'permission_denied' });
    const id = await home.engine(['images', '-q', '--no-trunc', `${registry.address}/caisson-test/private`]);
    expect(await refusal(make('bob', id.split('\n')[0]))).toMatchObject({ code: 'permission_denied' });
    expect(await home.containers()).toHaveLength(1);
  });

  it('reads a password from a file that only this user can read', async () => {
    expect((await make('dora')).how).toBe('created');
    await as('dora').sandboxes.remove('build', {});
    await chmod(join(home.path, 'password-of-dora'), 0o644);
    expect(await refusal(make('dora'))).toMatchObject({ code: 'failed_precondition' });
  });

  it('is not asked for an image that the operator has named for an owner', async () => {
    const asked = registry.asked.length;
    expect((await make('erin')).how).toBe('created');
    expect(registry.asked.length).toBe(asked);
  });

  it('is not asked by the login of an owner for the operator', async () => {
    expect(await refusal(api.sandboxes.create({ taskId: 'mine', image: image('missing') }))).toMatchObject({
      code: 'not_found',
    });
  });
});
