/**
 * A filtered network under faults: each part on the way is killed while a loop in the sandbox asks for an allowed and for a forbidden
 * origin. What is allowed passes before and after, and what is forbidden is dialled at no moment.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Apptainer, hasApptainer, startApptainer } from '../engines/apptainer.ts';
import { dockerHost } from '../engines/docker.ts';
import { type Engine, startEngine } from '../engines/engine.ts';
import { importImages } from '../engines/images.ts';
import { restart } from '../engines/respawning.ts';
import { busybox, type Home, makeHome } from './home.ts';
import { isCutOff, isFiltered, World } from './filtered-world.ts';
import { proxyPid } from '../egress/proxy-pid.ts';
import { Origins } from './origins.ts';

let origins: Origins;
beforeAll(async () => void (origins = await Origins.open('10.231.78')));
afterAll(async () => await origins[Symbol.asyncDispose]());

type Fault = (world: World) => Promise<void>;

const killProxy = (world: World): void => void process.kill(proxyPid(world.home.path) ?? 0, 'SIGKILL');

const proxy: Fault = async (world) => {
  killProxy(world);
};

const proxyStopped: Fault = async (world) => {
  const pid = proxyPid(world.home.path) ?? 0;
  process.kill(pid, 'SIGSTOP');
  await isCutOff(world);
  process.kill(pid, 'SIGCONT');
};

const proxyForGood: Fault = async (world) => {
  world.spoilConfig();
  killProxy(world);
  await isCutOff(world);
  world.mendConfig();
};

/** The proxy is another process, and what it carries does not wait for the next service. */
const service: Fault = async (world) => {
  await world.killService();
  await isFiltered(world);
  await world.startService();
};

const serviceAndProxy: Fault = async (world) => {
  await world.killService();
  killProxy(world);
  await isCutOff(world);
  await world.startService();
};

const carrier: Fault = async (world) => {
  await world.home.engine(['kill', `${world.sandbox.name}-door`]);
  await isCutOff(world);
};

/** One of them starts another one. */
const carrierOfMany: Fault = async (world) => {
  await world.home.engine(['kill', `${world.sandbox.name}-door`]);
  const command = ['run', '--task', 'work', '--network', 'filtered', '--', 'echo', 'used'];
  const cli = async (): Promise<string> => (await world.home.cli(command, '', { CAISSON_EMBEDDED: '1' })).stdout;
  const said = await Promise.all([world.use(), cli(), world.use(), cli(), world.use()]);
  expect(said.filter((each) => each.includes('used'))).toHaveLength(5);
};

/** Kills a sandbox with its carrier, like an engine that ends and keeps nothing running. */
const sandboxAndCarrier: Fault = async (world) => {
  const { name } = world.sandbox;
  await world.home.engine(['kill', name, `${name}-door`]);
  await isCutOff(world);
  expect(await world.use()).toContain('used');
  await world.loop();
};

/** What carried its traffic runs on, in the network of before. */
const startByHand: Fault = async (world) => {
  const { name } = world.sandbox;
  await world.home.engine(['stop', '-t', '0', name]);
  await world.home.engine(['start', name]);
  await world.loop();
};

async function faulted(world: World, fault: Fault): Promise<void> {
  await world.loop();
  await isFiltered(world);
  await fault(world);
  expect(await world.use()).toContain('used');
  await isFiltered(world);
}

describe.skipIf(dockerHost() === null)('a filtered network on docker', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startEngine('respawning');
    await importImages(engine.host);
  }, 120_000);
  afterAll(async () => await engine.stop());

  const engineKilled: Fault = async () => await restart(engine, 'SIGKILL');
  test.each([
    ['the proxy is killed', proxy],
    ['the proxy is stopped for a while', proxyStopped],
    ['the proxy is killed and cannot start', proxyForGood],
    ['the carrier is killed', carrier],
    ['the carrier is killed, and many use the sandbox', carrierOfMany],
    ['the sandbox and the carrier are killed', sandboxAndCarrier],
    ['the sandbox is started again by hand', startByHand],
    ['the service is killed', service],
    ['the service and the proxy are killed', serviceAndProxy],
    ['the engine is killed', engineKilled],
  ] as const)('lets nothing else pass when %s (NE-03)', { timeout: 180_000 }, async (_what, fault) => {
    const home = await makeHome(engine.host);
    await using world = await World.open({
      home,
      origins,
      terminal: `{docker_image: "${busybox}", container_disk: null}`,
    });
    await faulted(world, fault);
  });
});

describe.skipIf(!hasApptainer())('a filtered network on singularity', () => {
  let apptainer: Apptainer;
  beforeAll(async () => void (apptainer = await startApptainer()));
  afterAll(() => apptainer.remove());

  const open = async (): Promise<World> => {
    const { settings, env, busybox: image } = apptainer;
    const own = await makeHome();
    const home: Home = { ...own, env: { ...own.env, PATH: env['PATH'] ?? '', HOME: env['HOME'] ?? '' } };
    const places = `singularity_scratch_dir: "${settings.scratch_dir}", singularity_cache_dir: "${settings.cache_dir}"`;
    const terminal = `{backend: singularity, singularity_image: "${image}", ${places}}`;
    return await World.open({ home, origins, terminal });
  };

  /** What runs in it ends with it, and the next one has another namespace. */
  const instance: Fault = async (world) => {
    const entrance = join(world.home.path, 'egress/doors', world.sandbox.id, 'entrance');
    execFileSync('kill', ['-9', String(Object(JSON.parse(readFileSync(entrance, 'utf8'))).pid)]);
    await isCutOff(world);
    expect(await world.use()).toContain('used');
    await world.loop();
  };

  test.each([
    ['the proxy is killed', proxy],
    ['the proxy is stopped for a while', proxyStopped],
    ['the proxy is killed and cannot start', proxyForGood],
    ['the service is killed', service],
    ['the service and the proxy are killed', serviceAndProxy],
    ['the instance is killed', instance],
  ] as const)('lets nothing else pass when %s (NE-03)', { timeout: 180_000 }, async (_what, fault) => {
    await using world = await open();
    await faulted(world, fault);
  });
});
