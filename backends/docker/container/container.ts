/** Reading and removing a container. */
import type { DestroyOptions, Labels, ResourceState } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import { untilAborted } from '../../shared/abort.ts';
import type { Engine } from '../engine/engine.ts';
import { statusOf } from '../engine/fault.ts';
import { doorIn, fromEngineLabels, eventsAreForged } from './labels.ts';
import { rootUser } from './host-config.ts';
import { flag, list, number, object, text, type Json } from '../engine/json.ts';

export interface Inspected {
  readonly id: string;
  readonly state: ResourceState;
  readonly exitCode: number | null;
  /** Time of its last start, by the clock of the engine, in milliseconds. */
  readonly startedAt: number;
  /** Pid of the first process on the engine's host; `null` when the container does not run. */
  readonly pid: number | null;
  readonly outOfMemory: boolean;
  readonly imageId: string | null;
  readonly labels: Labels | null;
  /** Whether what its events say can be believed. */
  readonly trusted: boolean;
  readonly runtime: string | null;
  /** Its commands run as root, and not as the user of this host who made it. */
  readonly isRoot: boolean;
  /** The network by its name, as `HostConfig` has it, and the gateways of IPv4. */
  readonly network: string | null;
  readonly gateways: readonly string[];
  /** The name of the container that carries its traffic. `null`: it has none. */
  readonly door: string | null;
  /** Directories at which the engine mounted an anonymous volume, because the image declares one. */
  readonly volumes: readonly string[];
  readonly limits: { readonly memoryBytes: number; readonly nanoCpus: number; readonly pids: number };
}

/** Throws `not_found`. `name` is an id, or a name that Caisson gave. */
export async function inspectContainer(engine: Engine, name: string, signal?: AbortSignal): Promise<Inspected> {
  const answer = object(
    await engine.ask({ what: 'look at the sandbox', method: 'GET', path: `/containers/${name}/json`, signal }),
  );
  const state = object(answer['State']);
  const labels = object(answer['Config'])['Labels'];
  return {
    id: text(answer['Id']) ?? name,
    state: toState(state['Status']),
    exitCode: number(state['ExitCode']),
    startedAt: Date.parse(text(state['StartedAt']) ?? ''),
    pid: number(state['Pid']) || null,
    outOfMemory: flag(state['OOMKilled']),
    imageId: text(answer['Image']),
    labels: fromEngineLabels(labels),
    trusted: !eventsAreForged(labels),
    runtime: text(object(answer['HostConfig'])['Runtime']),
    isRoot: text(object(answer['Config'])['User']) === rootUser,
    network: text(object(answer['HostConfig'])['NetworkMode']),
    gateways: toGateways(object(object(answer['NetworkSettings'])['Networks'])),
    door: doorIn(labels, answer['Name']),
    volumes: list(answer['Mounts']).flatMap(toVolume),
    limits: toLimits(object(answer['HostConfig'])),
  };
}

/** Caisson itself mounts directories and tmpfs alone; where it does, the engine makes no volume. */
function toVolume(mount: unknown): readonly string[] {
  const { Type: type, Destination: target } = object(mount);
  return type === 'volume' && typeof target === 'string' ? [target] : [];
}

function toGateways(networks: Json): readonly string[] {
  return Object.values(networks).flatMap((network) => text(object(network)['Gateway']) || []);
}

function toLimits(config: Json): Inspected['limits'] {
  return {
    memoryBytes: number(config['Memory']) ?? 0,
    nanoCpus: number(config['NanoCpus']) ?? 0,
    pids: number(config['PidsLimit']) ?? 0,
  };
}

const states: Readonly<Record<string, ResourceState>> = {
  created: 'created',
  running: 'running',
  restarting: 'running',
  paused: 'paused',
  exited: 'stopped',
  dead: 'stopped',
};

export function toState(status: unknown): ResourceState {
  return (typeof status === 'string' ? states[status] : undefined) ?? 'unknown';
}

/** Idempotent. Anonymous volumes go with it. Returns when it is gone, also when someone else is removing it already. */
export async function removeContainer(
  engine: Engine,
  name: string,
  { signal, onSent = () => undefined }: DestroyOptions = {},
): Promise<void> {
  const path = `/containers/${name}?force=true&v=true`;
  const removal = engine.send({ what: 'remove the sandbox', method: 'DELETE', path, onSent });
  try {
    await untilAborted(removal, signal);
  } catch (error) {
    if (!isCode(error, 'not_found')) {
      if (statusOf(error) !== 409) throw error;
      await awaitRemoval(engine, name, signal);
    }
  }
  engine.network.touched();
}

async function awaitRemoval(engine: Engine, name: string, signal?: AbortSignal): Promise<void> {
  try {
    await engine.ask({
      what: 'wait for the removal of the sandbox',
      method: 'POST',
      path: `/containers/${name}/wait`,
      query: { condition: 'removed' },
      signal,
    });
  } catch (error) {
    if (!isCode(error, 'not_found')) throw error;
  }
}
