/**
 * What tests ask for an engine. A test file that imports this one runs in a project that has started them
 * (see `setup.ts` and vitest.config.ts).
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createInterface } from 'node:readline';

/** As `DOCKER_HOST` has it, with the test images in place. `null`: there is none here, and CI would have failed. */
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
