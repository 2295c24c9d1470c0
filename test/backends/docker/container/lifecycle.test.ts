/** Making, finding and removing containers and networks on a real engine. */
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { afterAll, describe, expect, test } from 'vitest';
import { open } from '../../../../backends/docker/backend.ts';
import { btrfsHost, dockerHost, recountDisk } from '../../../engines/docker.ts';
import { busybox, Place, plain, run, sh } from '../place.ts';

const host = dockerHost();
const nowhere = 'unix:///nowhere/docker.sock';

/** Such a sandbox stays the same resource. */
const onRef = (): Promise<never> => Promise.reject(new Error('another ref'));

describe.skipIf(host === null)('a sandbox on a Docker engine', () => {
  const place = new Place(host ?? nowhere);
  afterAll(() => place.close());

  test('tells where it runs', async () => {
    const sandbox = await place.create();
    const { ID } = await place.engine.info();
    const { Id, Image } = await place.engine.getContainer(sandbox.place.resource).inspect();
    expect(sandbox.place).toEqual({ host: ID, resource: Id, imageDigest: Image });
    expect(sandbox.ref).toEqual({ v: 1, container: Id });
  });

  test('has its first process attached before the first byte, with a stdin that outlives the connection', async () => {
    const sandbox = await place.backend.create(
      plain,
      place.options({ init: ['sh', '-c', 'echo first; read line; echo "got $line"; sleep 2147483'] }),
    );
    const seen: string[] = [];
    sandbox.init?.stdout.on('data', (chunk: Buffer) => seen.push(chunk.toString()));
    await expect.poll(() => seen.join('')).toBe('first\n');
    sandbox.init?.stdin?.write('it\n');
    await expect.poll(() => seen.join('')).toBe('first\ngot it\n');
    sandbox.init?.release();
    expect((await place.backend.attach(sandbox.ref)).state).toBe('running');
  });

  test('tells the end of its first process', async () => {
    const sandbox = await place.backend.create(plain, place.options({ init: ['sh', '-c', 'sleep 0.5; exit 5'] }));
    expect(await sandbox.init?.wait()).toEqual({ exitCode: 5, signal: null, outOfMemory: false });
    sandbox.init?.release();
  });

  test('tells not_found, and what to do, when its image is nowhere', async () => {
    const image = `caisson-test/absent-${place.instance}:none`;
    await expect(place.create({ image })).rejects.toMatchObject({
      code: 'not_found',
      remedy: expect.stringMatching(/pull or load it.*caisson image build base/),
    });
    expect(await place.engine.listContainers({ all: true, filters: { ancestor: [image] } })).toEqual([]);
  });

  test('leaves nothing when it cannot be started', async () => {
    const options = place.options();
    // The engine makes a missing working directory, and cannot do so there.
    await expect(place.create({ cwd: '/proc/self/none' }, options)).rejects.toMatchObject({
      details: { status: expect.any(Number) },
    });
    expect(await place.engine.listContainers({ all: true, filters: { name: [options.name] } })).toEqual([]);
  });

  test('leaves a container of somebody else alone that has its name', async () => {
    const options = place.options();
    const foreign = await place.engine.createContainer({ name: options.name, Image: busybox, Cmd: ['true'] });
    try {
      await expect(place.create({}, options)).rejects.toMatchObject({ code: 'conflict' });
      expect((await foreign.inspect()).Name).toBe(`/${options.name}`);
    } finally {
      await foreign.remove({ force: true });
    }
  });

  test('is started when a lost answer left it created or stopped', async () => {
    const options = place.options();
    const first = await place.create({}, options);
    await first.power?.stop({ onRef });
    const again = await place.create({}, options);
    expect([again.ref, again.state]).toEqual([first.ref, 'running']);
    expect((await run(again, ['echo', 'on'])).stdout).toBe('on\n');
  });

  test('is not found by a backend of another instance', async () => {
    const sandbox = await place.create();
    const other = new Place(host ?? nowhere);
    await expect(other.backend.attach(sandbox.ref)).rejects.toMatchObject({ code: 'not_found' });
    expect(await other.backend.list({ instance: other.instance })).toEqual([]);
    await other.backend.close();
  });

  test('tells what it uses, and nothing of a network it does not have', async () => {
    const sandbox = await place.create();
    const stats = await sandbox.stats?.read();
    expect(stats).toMatchObject({
      memoryLimitBytes: plain.limits.memoryBytes,
      pidsLimit: plain.limits.pids,
      networkReceivedBytes: null,
    });
    expect(stats?.memoryBytes).toBeGreaterThan(0);
    expect(stats?.pids).toBeGreaterThan(0);
  });
});

describe.skipIf(host === null)('the network of an instance', () => {
  test('is one, however many make it at once; keeps sandboxes apart; and goes when it is not needed (NE-18)', async () => {
    const place = new Place(host ?? nowhere);
    const filters = { label: [`caisson.instance=${place.instance}`] };
    try {
      const [one, two] = await Promise.all([place.create({ network: 'open' }), place.create({ network: 'open' })]);
      const networks = await place.engine.listNetworks({ filters });
      expect(networks).toHaveLength(1);
      expect(networks[0]).toMatchObject({
        EnableIPv6: false,
        Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      });
      const address = (await sh(two, "ip -4 addr show eth0 | sed -n 's/.*inet \\([0-9.]*\\).*/\\1/p'")).stdout.trim();
      const listener = await two.exec(['sh', '-c', 'while :; do nc -l -p 8000 </dev/null; done'], {
        cwd: '/',
        env: {},
        stdin: false,
      });
      listener.release();
      const reach = `nc -w 1 ${address} 8000 </dev/null && echo reached`;
      await expect.poll(async () => (await sh(two, reach)).stdout, { timeout: 20_000 }).toBe('reached\n');
      expect((await sh(one, reach)).stdout).toBe('');
    } finally {
      await place.close();
    }
    expect(await place.engine.listNetworks({ filters })).toEqual([]);
  });

  test('is one when two processes race for it', async () => {
    const first = new Place(host ?? nowhere);
    const rival = open({ env: { DOCKER_HOST: host ?? nowhere }, instance: first.instance });
    const filters = { label: [`caisson.instance=${first.instance}`] };
    try {
      const made = await Promise.allSettled([
        first.create({ network: 'open' }),
        rival.create({ ...plain, network: 'open' }, first.options()),
      ]);
      expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expect(await first.engine.listNetworks({ filters })).toHaveLength(1);
    } finally {
      await rival.close();
      await first.close();
    }
    expect(await first.engine.listNetworks({ filters })).toEqual([]);
  });

  test('is made again when it vanished, for a new sandbox and for a stopped one', async () => {
    const place = new Place(host ?? nowhere);
    try {
      const stopped = await place.create({ network: 'open' });
      await stopped.power?.stop({ onRef });
      const [network] = await place.engine.listNetworks({ filters: { label: [`caisson.instance=${place.instance}`] } });
      await place.engine.getNetwork(network?.Id ?? '').remove();
      const fresh = await place.create({ network: 'open' });
      expect((await sh(fresh, 'ip link show eth0 >/dev/null && echo linked')).stdout).toBe('linked\n');
      await stopped.power?.start({ onRef });
      expect((await sh(stopped, 'ip link show eth0 >/dev/null && echo linked')).stdout).toBe('linked\n');
    } finally {
      await place.close();
    }
  });

  test('is loopback alone when it is absent (NE-01)', async () => {
    const place = new Place(host ?? nowhere);
    try {
      const sandbox = await place.create();
      expect((await sh(sandbox, 'ls /sys/class/net')).stdout).toBe('lo\n');
    } finally {
      await place.close();
    }
  });
});

describe.skipIf(host === null)('an image without a shell', () => {
  test('is refused in words that say so, and leaves nothing', async () => {
    const place = new Place(host ?? nowhere);
    const image = `caisson-test/no-shell:${place.instance}`;
    const tar = pack();
    tar.entry({ name: 'bin/program', mode: 0o755 }, 'no shell');
    tar.finalize();
    try {
      await place.backend.images?.importRootfs(image, Readable.from(tar), { env: {}, labels: {} });
      await expect(place.create({ image })).rejects.toMatchObject({
        code: 'invalid_argument',
        message: `the image ${image} has no sh, and a shell is the first process of a sandbox`,
      });
      expect(await place.backend.list({ instance: place.instance })).toEqual([]);
    } finally {
      await place.engine
        .getImage(image)
        .remove({ force: true })
        .catch(() => {});
      await place.close();
    }
  });
});

describe.skipIf(host === null)('the check of an engine', () => {
  test.each([
    [busybox, []],
    ['caisson-test/absent:latest', ['image-absent']],
  ])('tells whether the image of the configuration is there: %s', async (image, found) => {
    const place = new Place(host ?? '', { image });
    const { status, findings } = await place.backend.check();
    expect(status).toBe('ready');
    expect(findings.map(({ id }) => id).filter((id) => id === 'image-absent')).toEqual(found);
    await place.close();
  });
});

describe('an engine that is not there', () => {
  const place = new Place(nowhere);

  test('is missing, with what to do about it', async () => {
    expect(await place.backend.check()).toMatchObject({
      status: 'missing',
      remedy: expect.stringMatching(/docker\.io.*DOCKER_HOST/),
      findings: [],
    });
  });

  test('promises nothing', async () => {
    await expect(place.backend.guarantees()).rejects.toMatchObject({
      code: 'unavailable',
      remedy: expect.stringContaining('/nowhere/docker.sock'),
    });
  });

  test('closes without a word', async () => {
    await expect(place.backend.close()).resolves.toBeUndefined();
  });
});

describe.skipIf(host === null)('a storage driver with disk limits', () => {
  test('holds a sandbox to its size (RL-06)', async () => {
    const btrfs = (await btrfsHost()) ?? nowhere;
    const place = new Place(btrfs);
    try {
      expect((await place.backend.guarantees()).limits.diskBytes).toMatchObject({ enforced: true });
      const sandbox = await place.create({ limits: { ...plain.limits, diskBytes: 50 * 1024 * 1024 } });
      const fill = async () => {
        await recountDisk(btrfs); // Other tests remove limited containers of this engine meanwhile.
        const text = 'rm -f /big; sync; dd if=/dev/zero of=/big bs=1M count=200 2>/dev/null; sync; wc -c </big';
        return Number((await sh(sandbox, text)).stdout);
      };
      await expect.poll(fill, { timeout: 40_000 }).toBeLessThan(60_000_000);
    } finally {
      await place.close();
    }
  });
});
