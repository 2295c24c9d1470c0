/** From inside of sandboxes whose network is `filtered` or `none`, on real engines: what leads out, and what leads in. */
import { execFile, execFileSync } from 'node:child_process';
import { getServers } from 'node:dns';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import {
  closeAll,
  attempts,
  download,
  type EgressPlace,
  type End,
  endsIn,
  openPlace,
  openService,
  type PlaceName,
  placesHere,
  probing,
} from './egress-places.ts';
import { openOutside, openResolver, type Outside, ownAddresses, type Resolver } from './egress-outside.ts';
import { type Home, makeHome } from './home.ts';

/** A private address that this host has for the time of the test; no host is to be in its network. */
const address = '10.231.80.1';
const stub = '127.0.0.53';
/** Port at which each sandbox listens, by its task. */
const inside = { filtered: 4444, none: 4445 } as const;

const [publicFour, publicSix] = [['1.1.1.1', '8.8.8.8'], ['2606:4700:4700::1111']] as const;
const metadata = ['169.254.169.254', '168.63.129.16', 'fd00:ec2::254'];
/** Gateways of engines and of this host that are usual or can be seen. */
const gateways = ['172.17.0.1', '172.17.0.2', '198.18.0.1', 'fe80::1'];

/** All that could lead to what listens outside, or to other machines. */
function waysOut({ port, socket }: Outside): readonly string[] {
  const own = ownAddresses();
  const elsewhere = [...publicFour, ...publicSix, ...metadata, ...gateways];
  return [
    ...own.flatMap((to) => [`tcp ${to} ${port}`, `device eth0 ${to} ${port}`]),
    ...elsewhere.flatMap((to) => [`tcp ${to} 80`, `tcp ${to} 443`, `device eth0 ${to} 443`]),
    ...[...own, ...elsewhere].map((to) => `udp ${to} ${port}`),
    ...[...publicFour, '9.9.9.9'].flatMap((to) => [`tcp ${to} 53`, `tcp ${to} 853`, `udp ${to} 443`]),
    ...['1.1.1.1', address].flatMap((to) => [`ping ${to}`, `raw ${to}`, `rawtcp ${to}`]),
    ...['packet', 'tun', `unix ${socket}`],
    ...[0, 1, 2, 3, 4_294_967_295].flatMap((context) => [`vsock ${context} 22`, `vsock ${context} ${port}`]),
  ];
}

const namesOut = ['secret.evil.example', 'localhost.example', 'metadata.google.internal', 'host.docker.internal'];
const resolvers = ['127.0.0.11', stub, address, '8.8.8.8', '127.0.0.1', '::1', ...getServers()];
const lookups: readonly string[] = [
  ...namesOut.map((name) => `name ${name}`),
  ...resolvers.flatMap((to) => [`dns ${to} secret.evil.example`, `tcp ${to} 53`]),
];

/** Errors of the kernel and of the libc: nothing came back, and nothing was sent. */
const failed =
  /^(Network is unreachable|Connection refused|Operation not permitted|Permission denied|No such device|No such file or directory|Address family not supported by protocol|Protocol not supported|Cannot assign requested address|Socket type not supported|Temporary failure in name resolution|Name or service not known|No route to host|Function not implemented|Invalid argument)$/;
const got = (ends: readonly End[]): readonly End[] => ends.filter(([, end]) => !failed.test(end));

const tasks = ['filtered', 'none'] as const;
const patience = { timeout: 20_000, interval: 200 };

/** Makes attempts on this host, with the program that the sandboxes run. */
async function attemptsHere(...probes: readonly string[]): Promise<readonly End[]> {
  const [command, ...rest] = probing(...probes);
  return endsIn((await promisify(execFile)(command, rest)).stdout);
}

describe.skipIf(placesHere.length === 0)('what leads out of a sandbox', () => {
  let outside: Outside;
  let [own, local]: [Resolver | null, Resolver | null] = [null, null];
  const queries = (): number => (own?.queries() ?? 0) + (local?.queries() ?? 0);
  beforeAll(async () => {
    execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
    outside = await openOutside();
    [own, local] = [await openResolver(address), await openResolver(stub)];
  });
  afterAll(async () => {
    for (const each of [outside, own, local]) await each?.[Symbol.asyncDispose]();
    execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo']);
  });

  test('is open on this host for the same attempts, so that they are such', async () => {
    const { port, socket } = outside;
    const reach = [`tcp ${address} ${port}`, `tcp ::1 ${port}`, `device lo ${address} ${port}`, `unix ${socket}`];
    const ends = await attemptsHere(...reach, `udp ${address} ${port}`, 'name localhost', `raw ${address}`, 'packet');
    expect(got(ends)).toEqual([
      ...[...reach, `udp ${address} ${port}`].map((probe) => [probe, 'answered from outside']),
      ['name localhost', expect.stringMatching(/^answered (127\.0\.0\.1|::1)/)],
      [`raw ${address}`, 'answered'],
      ['packet', 'opened'],
    ]);
    const before = queries();
    await attemptsHere(`dns ${address} a.example`);
    expect(own === null || queries() === before + 1).toBe(true);
    expect(outside.heard).toEqual(['tcp', 'tcp', 'tcp', 'unix', 'udp']);
  });

  describe.each(placesHere)('on %s', (name: PlaceName) => {
    let place: EgressPlace;
    let home: Home;
    let caisson: Caisson;
    beforeAll(async () => {
      [place, home] = [await openPlace(name), await makeHome()];
      caisson = await openService(home, place);
      for (const network of tasks) {
        await caisson.sandboxes.create({ taskId: network, network, image: place.image });
        await caisson.processes.start({ taskId: network, command: probing(`listen ${inside[network]}`) });
        await vi.waitUntil(async () => (await loopback(network))[0] === 'answered from inside', patience);
      }
    }, 240_000);
    afterAll(async () => await closeAll({ caisson, home, place }));
    const tried = (taskId: string, probes: readonly string[]) => attempts(caisson, taskId, probes);
    const loopback = async (network: keyof typeof inside, more: readonly string[] = []): Promise<readonly string[]> =>
      (await tried(network, [`tcp 127.0.0.1 ${inside[network]}`, ...more])).map(([, end]) => end);

    test.each(tasks)('network %s: no packet leaves, loopback works (NE-01, NE-04, NE-15)', async (task) => {
      const own = await loopback(task, [`tcp 127.9.8.7 ${inside[task]}`, `unix inside-${inside[task]}`]);
      expect(own).toEqual(Array.from({ length: 3 }, () => 'answered from inside'));
      const before = outside.heard.length;
      expect(got(await tried(task, waysOut(outside)))).toEqual([]);
      // What is bound to loopback may be lost there, without an error.
      const bound = `device lo ${address} ${outside.port}`;
      expect(JSON.stringify(await tried(task, [bound]))).not.toContain('answered');
      expect(outside.heard.length).toBe(before);
    });

    test.each(tasks)('network %s: no name is looked up, by whichever resolver (NE-14)', async (task) => {
      const before = queries();
      expect(got(await tried(task, lookups))).toEqual([]);
      expect(queries()).toBe(before);
    });

    test.each(tasks)('network %s: no socket of this host is among its files and descriptors (NE-01)', async (task) => {
      const text = `find / -type s -not -path '/proc/*' 2>/dev/null; ls -l /proc/1/fd /proc/self/fd /proc/$$/fd | grep socket:; true`;
      expect((await caisson.run({ taskId: task, command: ['sh', '-c', text] })).stdout.text).toBe('');
    });

    test('what is around the proxy variables leads nowhere, for a real client (NE-04)', async () => {
      const { port, heard } = outside;
      const before = heard.length;
      for (const way of [
        'unset http_proxy HTTP_PROXY all_proxy ALL_PROXY',
        `export NO_PROXY="*" no_proxy=${address}`,
      ]) {
        const text = `${way}; ${download(`http://${address}:${port}/`)}`;
        const { exit, stderr } = await caisson.run({ taskId: 'filtered', command: ['sh', '-c', text] });
        expect([exit.exitCode, stderr.text]).toEqual([100, expect.stringMatching(/unreachable|Cannot initiate/)]);
      }
      expect(heard.length).toBe(before);
      // Its twin is refused too, but by the proxy.
      const asked = await caisson.run({
        taskId: 'filtered',
        command: ['sh', '-c', download(`http://${address}:${port}/`)],
      });
      expect(asked.stderr.text).toContain('403');
    });

    test('one sandbox reaches nothing of the other (NE-18)', async () => {
      const names = (await caisson.sandboxes.list()).items.flatMap(({ id, taskId }) => [id, taskId]);
      for (const [from, to] of [
        ['filtered', inside.none],
        ['none', inside.filtered],
      ] as const) {
        const addresses = ['127.0.0.1', '127.0.0.2', '0.0.0.0', ...ownAddresses(), ...gateways];
        const probes = [...addresses.map((each) => `tcp ${each} ${to}`), `unix inside-${to}`];
        expect(got(await tried(from, [...probes, ...names.map((each) => `name ${each}`)]))).toEqual([]);
      }
      expect(got(await tried('none', ['tcp 127.0.0.1 3128']))).toEqual([]);
    });

    test('nothing of this host leads in (NE-19)', async () => {
      const ports = [...Object.values(inside), 3128];
      const probes = ['127.0.0.1', ...ownAddresses()].flatMap((to) => ports.map((port) => `tcp ${to} ${port}`));
      const sockets = Object.values(inside).map((port) => `unix inside-${port}`);
      expect(got(await attemptsHere(...probes, ...sockets))).toEqual([]);
      for (const task of tasks) {
        expect((await caisson.sandboxes.get(task)).effective).toMatchObject({ interfaces: [] });
        expect(await loopback(task)).toEqual(['answered from inside']);
      }
      for (const id of await home.containers()) {
        const shown = await home.engine([
          'inspect',
          '--format',
          '{{json .NetworkSettings.Ports}} {{.HostConfig.PortBindings}}',
          id,
        ]);
        expect(shown).toMatch(/^(\{\}|null) map\[\]$/);
      }
    });
  });
});
