/**
 * What carries bytes between port 3128 of a sandbox's loopback and its door: a container of its own in the network of the
 * sandbox, which has no other. It is started again after each start of the sandbox, whose network is then another one.
 */
import type { DoorImage, Labels } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { object, text } from '../engine/json.ts';
import { inspectContainer, removeContainer } from './container.ts';
import { InitProcess } from './init-process.ts';
import { roleLabel, toEngineLabels } from './labels.ts';

export interface DoorPlan {
  readonly name: string;
  /** The container whose network it enters. */
  readonly sandbox: string;
  readonly labels: Labels;
  /** Directory of this host that holds the socket. */
  readonly directory: string;
  readonly image: DoorImage;
}

const mebibyte = 1024 * 1024;
/** It listens some 50 ms after its start. */
const readyMs = 15_000;

/** Not started: only a container that runs has a network to enter. One that has the name already is replaced. */
export async function makeDoor(engine: Engine, plan: DoorPlan): Promise<void> {
  await ensureImage(engine, plan.image);
  try {
    await create(engine, plan);
  } catch (error) {
    if (!isCode(error, 'failed_precondition')) throw error;
    await removeOwn(engine, plan);
    await create(engine, plan);
  }
}

/** Idempotent. */
export async function removeDoor(engine: Engine, name: string): Promise<void> {
  await removeContainer(engine, name);
}

const what = 'start what carries the traffic of the sandbox';

/** In the network that the sandbox has now: one that runs is in that of before. */
export async function restartDoor(engine: Engine, name: string): Promise<void> {
  await engine.ask({ what, method: 'POST', path: `/containers/${name}/stop`, query: { t: 0 } });
  await startDoor(engine, name);
}

/** When this resolves, it listens. */
export async function startDoor(engine: Engine, name: string): Promise<void> {
  const listening = await InitProcess.attach(engine, name);
  try {
    const ready = firstLine(listening);
    // A start that fails is what the caller hears of.
    ready.catch(() => undefined);
    await engine.ask({ what, method: 'POST', path: `/containers/${name}/start` });
    await ready;
  } finally {
    listening.release();
  }
}

export function doorBody({ sandbox, labels, directory, image }: Omit<DoorPlan, 'name'>) {
  return {
    Image: image.reference,
    Entrypoint: [],
    Cmd: image.command,
    Env: [],
    User: '65534:65534',
    WorkingDir: '/',
    AttachStdin: false,
    AttachStdout: true,
    AttachStderr: true,
    OpenStdin: false,
    Tty: false,
    Healthcheck: { Test: ['NONE'] },
    StopSignal: 'SIGKILL',
    Labels: { ...toEngineLabels(labels), [roleLabel]: 'door' },
    HostConfig: {
      NetworkMode: `container:${sandbox}`,
      Mounts: [
        {
          Type: 'bind',
          Source: directory,
          Target: '/door',
          ReadOnly: true,
          BindOptions: { Propagation: 'private', NonRecursive: true },
        },
      ],
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: true,
      Memory: 256 * mebibyte,
      MemorySwap: 256 * mebibyte,
      PidsLimit: 64,
      Ulimits: [
        { Name: 'core', Soft: 0, Hard: 0 },
        { Name: 'nofile', Soft: 4096, Hard: 4096 },
      ],
      OomScoreAdj: 500,
      Init: false,
      IpcMode: 'private',
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}

async function create(engine: Engine, plan: DoorPlan): Promise<void> {
  const { name } = plan;
  const what = 'make what carries the traffic of the sandbox';
  await engine.ask({ what, method: 'POST', path: '/containers/create', query: { name }, body: doorBody(plan) });
}

async function removeOwn(engine: Engine, { name, labels }: DoorPlan): Promise<void> {
  const found = await inspectContainer(engine, name);
  if (found.labels?.instance !== labels.instance || found.labels.sandbox !== labels.sandbox)
    throw new CaissonError('conflict', `the name ${name} is taken by a container that is not ours`, {
      details: { name },
      remedy: 'rename or remove that container',
    });
  await removeContainer(engine, name);
}

/** Its tag follows from what is in it: one that is there is the one that is meant, if it has the label too. */
export async function ensureImage(engine: Engine, image: DoorImage): Promise<void> {
  const { reference, labels } = image;
  if (await isThere(engine, image)) return;
  const { createImages: imagesOf } = await import('../engine/images.ts');
  await imagesOf(engine).importRootfs(reference, image.rootfs(), { env: {}, labels });
}

async function isThere(
  engine: Engine,
  { reference, labels }: Pick<DoorImage, 'reference' | 'labels'>,
): Promise<boolean> {
  try {
    const what = 'look at the egress image';
    const answer = object(await engine.ask({ what, method: 'GET', path: `/images/${reference}/json` }));
    const found = object(object(answer['Config'])['Labels']);
    return Object.entries(labels).every(([name, value]) => text(found[name]) === value);
  } catch (error) {
    if (isCode(error, 'not_found')) return false;
    throw error;
  }
}

async function firstLine({ stdout, stderr }: InitProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (why: string): void =>
    reject(new CaissonError('unavailable', `what carries the traffic of the sandbox ${why}`));
  const timer = setTimeout(() => fail(`did not listen within ${readyMs / 1000} s`), readyMs);
  let said = '';
  stderr.resume();
  stdout.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString('latin1')}`.slice(0, 64);
    if (said.startsWith('ready')) resolve();
  });
  stdout.once('close', () => fail('ended'));
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}
