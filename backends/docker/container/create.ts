/**
 * Makes a container: create, attach, start, and nothing else on the way. Everything that is usually in order (image,
 * network, name) is only looked at when the engine says that it is not.
 */
import type { CreateOptions, DoorImage, Spec } from '../../../src/backend.ts';
import { CaissonError, isCode } from '../../../src/errors.ts';
import { throwIfAborted } from '../../shared/abort.ts';
import { delay } from '../engine/delay.ts';
import { inspectContainer, removeContainer, type Inspected } from './container.ts';
import type { Engine } from '../engine/engine.ts';
import { statusOf } from '../engine/fault.ts';
import { containerBody, type Plan } from './host-config.ts';
import { parseReference, pull } from './image.ts';
import { makeDirectories } from './directories.ts';
import { InitProcess } from './init-process.ts';
import { object, text } from '../engine/json.ts';
import { makeDoor, removeDoor, startDoor } from './door.ts';
import { doorName } from './labels.ts';
import { refuse, type Refusing } from './refusals.ts';
import { missingShell } from './shell.ts';

export interface Created {
  readonly inspected: Inspected;
  /** Absent when the container was found running: no client attached before its start. */
  readonly init: InitProcess | null;
}

export interface Making {
  readonly engine: Engine;
  readonly spec: Spec;
  readonly options: CreateOptions;
  /** Image of the door, which a `filtered` network needs. `null`: the network is another. */
  readonly doorImage: DoorImage | null;
  /** `null`: nothing can be refused. */
  readonly refusing: Refusing | null;
  /** `network` is filled in here. */
  readonly plan: Omit<Plan, 'network'>;
}

type Body = ReturnType<typeof containerBody>;
type Step =
  | { readonly done: Created }
  | { readonly again: 'image' | 'name' }
  /** `error`: what it was, when the network turns out to be all right. */
  | { readonly again: 'network'; readonly error: unknown };

const maxTries = 5;
/** Milliseconds until a race for the network is over, which takes two requests to end. */
const networkPauseMs = 100;

/** Removes what it made when anything fails. The signal is looked at between the steps, each of which is short. */
export async function make(making: Making): Promise<Created> {
  parseReference(making.spec.image);
  if (making.options.directory !== null) await makeDirectories(making.options.directory, making.options.credentials);
  if (making.options.registry?.isAsked === true) await pull(making.engine, making.spec.image ?? '', making.options);
  let networkFailures = 0;
  for (let tries = 0; tries < maxTries; tries += 1) {
    throwIfAborted(making.options);
    const step = await attempt(making);
    if ('done' in step) return step.done;
    if (step.again === 'image') await pull(making.engine, making.spec.image ?? '', making.options);
    if (step.again === 'network') {
      networkFailures += 1;
      if (networkFailures > 1 && (await making.engine.network.isSound())) throw step.error;
      making.engine.network.forget();
      await delay(networkPauseMs);
    }
  }
  throw new CaissonError('unavailable', 'the sandbox could not be made: its image, network or name kept changing', {
    details: { name: making.options.name },
  });
}

async function attempt(making: Making): Promise<Step> {
  const { engine, spec, options } = making;
  const network = spec.network === 'open' ? await engine.network.ensure() : null;
  const body = containerBody({ ...making.plan, network });
  let id: string;
  try {
    id = await createContainer(engine, options.name, body);
  } catch (error) {
    return recover(making, { error, network });
  }
  return launch(making, { id, body, network });
}

async function createContainer(engine: Engine, name: string, body: Body): Promise<string> {
  const answer = object(
    await engine.ask({ what: 'create the sandbox', method: 'POST', path: '/containers/create', query: { name }, body }),
  );
  const id = text(answer['Id']);
  if (id === null || !/^[0-9a-f]{12,64}$/.test(id))
    throw new CaissonError('internal', 'the engine gave no id for the sandbox');
  return id;
}

/** Create answered no. Status 404 is an absent image or network; `failed_precondition` a taken name. */
async function recover(making: Making, refused: { error: unknown; network: string | null }): Promise<Step> {
  const { engine, spec } = making;
  if (isCode(refused.error, 'failed_precondition')) return takeName(making);
  const status = statusOf(refused.error);
  if (status === 404) {
    const networkGone = refused.network !== null && !(await engine.network.isSound());
    return networkGone ? { again: 'network', error: refused.error } : { again: 'image' };
  }
  if (
    (status === 400 || status === 500) &&
    making.plan.diskLimit &&
    spec.limits.diskBytes !== null &&
    refused.error instanceof CaissonError
  ) {
    throw new CaissonError(
      'not_supported',
      `the engine refused to make a sandbox with a disk limit: ${refused.error.message}`,
      {
        cause: refused.error,
        remedy: 'set terminal.container_disk to null, or use a storage driver with disk limits',
      },
    );
  }
  throw refused.error;
}

/** Something has our name: our own work of an earlier try, an older sandbox, or somebody else's. */
async function takeName(making: Making): Promise<Step> {
  const { engine, options } = making;
  const found = await inspectContainer(engine, options.name).catch((error: unknown) => {
    if (isCode(error, 'not_found')) return null;
    throw error;
  });
  if (!found) {
    // It is being removed right now; its name is free in a moment.
    await delay(50);
    return { again: 'name' };
  }
  const { labels } = found;
  if (labels?.instance !== options.labels.instance || labels.sandbox !== options.labels.sandbox) {
    throw new CaissonError('conflict', `the name ${options.name} is taken by a container that is not ours`, {
      details: { name: options.name },
      remedy: 'rename or remove that container',
    });
  }
  const usable = labels.fingerprint === options.labels.fingerprint && found.state !== 'unknown';
  if (usable) return adopt(making, found);
  await removeContainer(engine, found.id);
  return { again: 'name' };
}

async function adopt(making: Making, found: Inspected): Promise<Step> {
  const { engine } = making;
  if (found.state === 'running') {
    await setNetwork(making, found.id, await doorFor(making, found.id));
    return { done: { inspected: found, init: null } };
  }
  if (found.state === 'paused') {
    await engine.ask({ what: 'resume the sandbox', method: 'POST', path: `/containers/${found.id}/unpause` });
    await setNetwork(making, found.id, await doorFor(making, found.id));
    return { done: { inspected: { ...found, state: 'running' }, init: null } };
  }
  const network = making.spec.network === 'open' ? await engine.network.ensure() : null;
  return launch(making, { id: found.id, body: null, network });
}

/** `body` is what was asked for, to be compared with what the engine made of it. */
async function launch(
  making: Making,
  container: { id: string; body: Body | null; network: string | null },
): Promise<Step> {
  const { engine, options } = making;
  const { id } = container;
  let init: InitProcess | null = null;
  let door: Promise<string | null> = Promise.resolve(null);
  try {
    throwIfAborted(options);
    door = doorFor(making, id);
    door.catch(() => undefined);
    init = await attachFirst(engine, id);
    throwIfAborted(options);
    const [inspected] = await Promise.all([inspectContainer(engine, id), startContainer(engine, id)]);
    throwIfAborted(options);
    if (container.body) verify(inspected, container.body);
    await setNetwork(making, id, await door);
    throwIfAborted(options);
    return { done: { inspected: { ...inspected, state: 'running' }, init } };
  } catch (error) {
    init?.release();
    // Until it is made or refused, it cannot be removed.
    await door.catch(() => null);
    const noShell = statusOf(error) === 400 ? await missingShell(engine, id, making.spec.image ?? '') : null;
    if (making.doorImage !== null) await removeDoor(engine, doorName(options.name));
    await removeContainer(engine, id);
    if (noShell !== null) throw noShell;
    // Not only a network that is gone: one that had a double for a moment fails a start too, with a status of its own.
    if (statusOf(error) !== null && container.network !== null) return { again: 'network', error };
    throw error;
  }
}

/** `null`: this engine attaches to running containers only (Podman), and what the first process says is missed. */
async function attachFirst(engine: Engine, id: string): Promise<InitProcess | null> {
  try {
    return await InitProcess.attach(engine, id);
  } catch (error) {
    if (statusOf(error) === 409) return null;
    throw error;
  }
}

/** Sets the network of a container that runs. */
async function setNetwork({ engine, spec, refusing }: Making, sandbox: string, door: string | null): Promise<void> {
  if (spec.network === 'open' && refusing !== null) await refuse(engine, sandbox, refusing);
  if (door !== null) await startDoor(engine, door);
}

/** Made, and not started; its name. `null`: there is to be none. */
async function doorFor({ engine, options, doorImage }: Making, sandbox: string): Promise<string | null> {
  if (doorImage === null || options.door === undefined) return null;
  const { name, labels, door: directory } = options;
  const door = doorName(name);
  await makeDoor(engine, { name: door, sandbox, labels, directory, image: doorImage });
  return door;
}

async function startContainer(engine: Engine, id: string): Promise<void> {
  await engine.ask({ what: 'start the sandbox', method: 'POST', path: `/containers/${id}/start` });
}

/** Engines drop a limit that the kernel cannot hold, with no more than a warning. */
function verify(inspected: Inspected, body: Body): void {
  const asked = body.HostConfig;
  const dropped = [
    ...('Memory' in asked && asked.Memory !== inspected.limits.memoryBytes ? ['memory'] : []),
    ...('NanoCpus' in asked && asked.NanoCpus !== inspected.limits.nanoCpus ? ['cpu'] : []),
    ...('PidsLimit' in asked && asked.PidsLimit !== inspected.limits.pids ? ['pids'] : []),
  ];
  if (dropped.length > 0)
    throw new CaissonError('not_supported', `the engine does not hold the limit on ${dropped.join(' and ')}`, {
      details: { dropped },
    });
}
