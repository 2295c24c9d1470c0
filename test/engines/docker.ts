/**
 * What tests ask for an engine. A test file that imports this one runs in a project that has started them
 * (see `setup.ts` and vitest.config.ts).
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { connect as dockerode } from './engine-api.ts';

/** Address for `DOCKER_HOST` of an engine that has the test images. `null`: it is absent here, and CI would have failed. */
export function dockerHost(): string | null {
  return process.env['CAISSON_TEST_DOCKER_HOST'] || null;
}

/**
 * A second engine whose storage driver enforces disk limits, started when the first test asks; one for the whole run.
 * Costs a second or two. `null` as above.
 */
export async function btrfsHost(): Promise<string | null> {
  const name = process.env['CAISSON_TEST_ENGINES'];
  if (name === undefined) return null;
  const socket = connect(`\0${name}`);
  const [line] = await once(createInterface({ input: socket }), 'line');
  const answer: unknown = JSON.parse(String(line));
  if (typeof answer !== 'object' || answer === null) throw new Error('the test engines answered nothing');
  if ('error' in answer) throw new Error(`no btrfs engine: ${String(answer.error)}`);
  return 'host' in answer && typeof answer.host === 'string' ? answer.host : null;
}

/**
 * Has the btrfs of an engine count anew. Removing a limited container makes it lose count (the kernel says so: "qgroup
 * marked inconsistent"), and it holds no limit from then on; tests that run beside each other remove such containers.
 */
export async function recountDisk(host: string): Promise<void> {
  const docker = dockerode(host);
  const { DockerRootDir } = z.object({ DockerRootDir: z.string() }).parse(await docker.info());
  const container = await docker.createContainer({
    Image: 'caisson-test/busybox:latest',
    Cmd: ['chroot', '/host', 'btrfs', 'quota', 'rescan', '-w', DockerRootDir],
    HostConfig: {
      CapAdd: ['SYS_ADMIN'],
      SecurityOpt: ['seccomp=unconfined', 'apparmor=unconfined'],
      NetworkMode: 'none',
      Binds: ['/:/host'],
    },
  });
  try {
    await container.start();
    const { StatusCode } = z.object({ StatusCode: z.number() }).parse(await container.wait());
    if (StatusCode !== 0) throw new Error(`btrfs did not count: ${String(await container.logs({ stderr: true }))}`);
  } finally {
    await container.remove({ force: true });
  }
}

/**
 * An address of this host at which a container with an open network finds a server of the test: the engine's own link
 * to the host, or else the first address that is not of a container bridge. `null`: this host has none.
 */
export function hostAddress(): string | null {
  const addresses = Object.entries(networkInterfaces())
    .filter(([name]) => !/^(docker|br-)/.test(name))
    .flatMap(([, of = []]) => of)
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => address);
  return addresses.find((address) => address.startsWith('198.18.')) ?? addresses[0] ?? null;
}
