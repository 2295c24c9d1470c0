/** Places that cannot filter a network: what asks for one fails, and nothing of it runs with an open one (NE-21). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { hasSshd } from '../engines/sshd.ts';
import { type Home, makeHome } from './home.ts';
import { openPlaces, type Places } from './places.ts';

/** Known to every engine, by a name that says nothing of the network stack. */
const runtime = 'io.containerd.runc.v2';

const hosts: readonly string[] = ['local', ...(hasSshd() ? ['ssh'] : [])];

describe.skipIf(dockerHost() === null)('a place that cannot filter a network', () => {
  let places: Places;
  beforeAll(async () => void (places = await openPlaces()));
  afterAll(async () => await places.stop());

  /** Says on this host, and over ssh too, that it has run. */
  const marker = (home: Home): string => join(home.path, 'has-run');
  const marks = (home: Home): readonly [string, ...string[]] => ['touch', marker(home)];

  test.each(hosts)('%s refuses the request, and runs the same command without it', async (backend) => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend);
    for (const network of ['filtered', 'observe', 'none'] as const) {
      const refused = { code: 'not_supported', message: expect.stringContaining(`network = ${network}`) };
      await expect(caisson.run({ taskId: 'one', network, command: marks(home) })).rejects.toMatchObject(refused);
      await expect(caisson.sandboxes.create({ taskId: 'one', network })).rejects.toMatchObject(refused);
    }
    expect([existsSync(marker(home)), (await caisson.sandboxes.list()).items]).toEqual([false, []]);
    await caisson.run({ taskId: 'one', command: marks(home) });
    expect(existsSync(marker(home))).toBe(true);
    await caisson.sandboxes.remove('one');
  });

  test.each(hosts)('%s refuses what the configuration asks for', async (backend) => {
    await using home = await makeHome();
    const caisson = await places.open(home, backend, { config: 'network:\n  mode: filtered\n' });
    await expect(caisson.run({ taskId: 'one', command: marks(home) })).rejects.toMatchObject({ code: 'not_supported' });
    expect(existsSync(marker(home))).toBe(false);
  });

  test('a docker runtime that is not known to share the network stack of this host is refused', async () => {
    await using home = await makeHome();
    const caisson = await places.open(home, 'docker', { config: `  docker_runtime: ${runtime}\n` });
    await expect(caisson.sandboxes.create({ taskId: 'one', network: 'filtered' })).rejects.toMatchObject({
      code: 'not_supported',
      message: expect.stringContaining(`network filtered with runtime ${runtime}`),
    });
    expect([await home.containers(), (await caisson.sandboxes.list()).items]).toEqual([[], []]);
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'one', network: 'none' });
    expect(sandbox.spec.hardening.runtime).toBe(runtime);
    await caisson.sandboxes.remove('one');
  });
});
