/** From what the caller said and what is configured to the wanted sandbox. */
import type { Guarantees, Hardening, Limits, Mount, NetworkMode, Spec } from '../backend.ts';
import type { Loaded, TaskTerminal, Terminal } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import { askedControls, requested } from './asked.ts';
import { backendKey } from '../config/backends.ts';
import { configuredMode } from '../config/network.ts';
import { bytesOf, flagOf, keyNamed, namesOf, textKey, textsOf } from './backend-keys.ts';
import { hostPlaces } from './host-places.ts';
import { placedImageProblem } from '../values/image.ts';
import { checkLimits } from './limits.ts';
import { checkMount } from './mounts.ts';
import { networkModes } from '../values/network-modes.ts';
import { canonicalPath, insideProblem } from '../values/paths.ts';
import { checkRequest } from './request.ts';
import { checkLabels } from '../values/labels.ts';
import { askedTimes, type Times } from './times.ts';
import { ephemeralPrefix } from '../values/task.ts';
import type { PlanDraft, SandboxRequest } from './types.ts';
import { given } from '../lib/given.ts';

/** What the request and the configuration settle. */
export type Settled = Omit<PlanDraft, 'taskId' | 'guarantees' | 'recreate' | 'existing' | 'bound'>;

export interface Host {
  /** Directory of the caller on the host; bound in when so configured. `null`: the sandbox is there and keeps its own. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Input {
  readonly request: SandboxRequest;
  readonly task: TaskTerminal;
  /** Mode by `network.mode` and the configuration of the task. `null`: neither sets one. */
  readonly mode: NetworkMode | null;
  readonly openPrivate: boolean | null;
  readonly backend: string;
}

/** The backend's side and the host's side of the sandbox that a plan describes. */
interface ResolveTarget {
  readonly guarantees: Guarantees;
  readonly host: Host;
  readonly stateDirectory: string;
}

const mebibyte = 1024 ** 2;
const workspace = '/workspace';

/**
 * Resolves to the same spec in every process that has the same input. Throws `invalid_argument`, naming what is wrong.
 * A request without a task is ephemeral; patterns in `tasks` see it as `eph-`.
 */
export function resolveSpec(loaded: Loaded, request: SandboxRequest, guarantees: Guarantees, host: Host): Settled {
  checkRequest(request);
  const task = loaded.forTask(request.taskId ?? ephemeralPrefix);
  const { terminal } = task;
  const mode = configuredMode(request.taskId ?? ephemeralPrefix, loaded.config);
  const { open_private: openPrivate } = loaded.config.network;
  const input: Input = { request, task, mode, openPrivate, backend: request.backend ?? terminal.backend };
  const place: ResolveTarget = { guarantees, host, stateDirectory: loaded.home };
  const { taskId } = request;
  const times = askedTimes(request);
  const silent: Input = { ...input, request: given({ taskId }) };
  return {
    spec: specFor(input, place),
    configured: { ...specFor(silent, place), backend: terminal.backend },
    asked: askedControls(request, input),
    said: new Set(requested(request)),
    keepsPrivate: openPrivate !== true,
    usualImage: request.image === undefined && isDefault(task, backendKey(input.backend, 'image')),
    configuredCwd: terminal.cwd === null ? null : checkCwd(terminal.cwd),
    timeoutMs: milliseconds(terminal.timeout),
    ...configuredTimes(terminal),
    ...times,
    times,
    labels: checkLabels(request.labels ?? {}),
    forwardEnv: namesOf(terminal, backendKey(input.backend, 'forward_env')),
    setEnv: textsOf(terminal, backendKey(input.backend, 'env')),
    passEnv: namesOf(terminal, 'env_passthrough'),
    skills: terminal.skills,
    credentials: {
      configured: terminal.credential_files,
      bySkills: [],
      directory: canonicalPath(terminal.credential_directory),
    },
    allowDegraded: request.allowDegraded ?? terminal.allow_degraded,
    ephemeral: request.taskId === undefined,
  };
}

function specFor(input: Input, place: ResolveTarget): Spec {
  const {
    request,
    task: { terminal },
    backend,
  } = input;
  return {
    backend,
    image: checkImage(request.image ?? textKey(terminal, backendKey(backend, 'image'))),
    limits: checkLimits(limitsFor(terminal, request)),
    network: networkFor(input),
    // What has no task to come back for has nothing to keep.
    persistent: request.persistent ?? (request.taskId === undefined ? false : terminal.container_persistent),
    cwd: checkCwd(
      request.cwd ?? projectOf(input, place) ?? terminal.cwd ?? defaultCwd(place.guarantees, request.taskId),
    ),
    mounts: mountsFor(input, place),
    hardening: hardeningFor(terminal, backend),
  };
}

function isDefault(task: TaskTerminal, key: string): boolean {
  const known = keyNamed(task.terminal, key);
  return known !== null && task.originOf(known) === 'default';
}

function limitsFor(terminal: Terminal, { limits = {} }: SandboxRequest): Limits {
  const { cpuCores, memoryBytes, diskBytes, pids } = limits;
  return {
    cpuCores: cpuCores === undefined ? terminal.container_cpu : cpuCores,
    memoryBytes: memoryBytes === undefined ? megabytes(terminal.container_memory) : memoryBytes,
    diskBytes: diskBytes === undefined ? megabytes(terminal.container_disk) : diskBytes,
    pids: pids === undefined ? terminal.container_pids : pids,
  };
}

function networkFor({ request, task: { terminal }, mode: configured, backend }: Input): NetworkMode {
  const asked: unknown = request.network;
  if (asked === undefined)
    return configured ?? (flagOf(terminal, backendKey(backend, 'network'), true) ? 'open' : 'none');
  const mode = networkModes.find((each) => each === asked);
  if (mode !== undefined) return mode;
  throw new CaissonError('invalid_argument', `the network must be one of ${networkModes.join(', ')}`);
}

function hardeningFor(terminal: Terminal, backend: string): Hardening {
  return {
    readOnlyRoot: terminal.container_read_only,
    seccomp: textKey(terminal, backendKey(backend, 'seccomp')) === 'builtin' ? 'builtin' : 'engine',
    runtime: textKey(terminal, backendKey(backend, 'runtime')),
    shmBytes: bytesOf(terminal, backendKey(backend, 'shm_size')),
    user: flagOf(terminal, backendKey(backend, 'run_as_host_user'), false) ? 'host' : 'root',
  };
}

function mountsFor(input: Input, { guarantees, host, stateDirectory }: ResolveTarget): readonly Mount[] {
  const { cwd } = host;
  if (cwd === null) return [];
  const isBound = flagOf(input.task.terminal, backendKey(input.backend, 'mount_cwd_to_workspace'), false);
  const targets = [
    ...(isBound ? [workspace] : []),
    ...(input.request.project === true && guarantees.isolation !== 'none' ? [cwd] : []),
  ];
  const rules = targets.length === 0 ? null : { stateDirectory, ...hostPlaces(host.env) };
  return rules === null ? [] : targets.map((target) => checkMount({ source: cwd, target, readOnly: false }, rules));
}

const projectOf = ({ request }: Input, { host }: ResolveTarget): string | null =>
  request.project === true ? host.cwd : null;

function defaultCwd({ isolation, directories }: Guarantees, taskId: string | undefined): string {
  if (directories !== undefined) return taskId === undefined ? directories.home : `${directories.tasks}/${taskId}`;
  return isolation === 'container' || isolation === 'vm' ? workspace : '/';
}

function checkCwd(cwd: string): string {
  const problem = insideProblem(cwd);
  if (problem === null) return canonicalPath(cwd);
  throw new CaissonError(
    'invalid_argument',
    `${JSON.stringify(cwd.slice(0, 256))} cannot be a working directory: ${problem}`,
  );
}

function checkImage(image: string | null): string | null {
  const problem = image === null ? null : placedImageProblem(image);
  if (image === null || problem === null) return image;
  throw new CaissonError('invalid_argument', `${JSON.stringify(image.slice(0, 128))} is not an image: ${problem}`);
}

function megabytes(value: number | null): number | null {
  return value === null ? null : value * mebibyte;
}

/** What holds where no request says otherwise. */
export function configuredTimes(terminal: Terminal): Times {
  return {
    idleMs: milliseconds(terminal.lifetime_seconds),
    ttlMs: milliseconds(terminal.max_lifetime_seconds),
  };
}

/** 0 means never, as `null` does. */
function milliseconds(seconds: number | null): number | null {
  return seconds === null || seconds === 0 ? null : Math.max(1, Math.round(seconds * 1000));
}
