/** From a request to a plan: resolved against configuration and task overrides, compared with what the place promises. */
import type { Allowed } from '../config/owners.ts';
import type { Loaded } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import { compareSpec, withFilter } from '../plan/compare.ts';
import { fingerprint } from '../plan/fingerprint.ts';
import { configuredTimes, resolveSpec, type Settled } from '../plan/resolve.ts';
import { askedTimes, checkWithin, type Times } from '../plan/times.ts';
import { asBefore, backendBefore } from '../plan/unsaid.ts';
import { cappedSettings, ownedBackend, ownedSettings, withinBounds } from '../plan/owner.ts';
import { operator } from '../values/caller.ts';
import { ownerOf } from '../values/owner.ts';
import { newTaskId } from '../values/new-task.ts';
import { checkTaskId, checkTaskKey } from '../values/task.ts';
import { checkServerTask, planOfServer } from '../plan/server.ts';
import type { Plan, SandboxRequest } from '../plan/types.ts';
import type { SandboxRow } from '../store/store.ts';
import type { Backend } from '../backend.ts';
import { cancelable, type Context, type StepOptions } from './context.ts';
import { findRow } from './end.ts';
import { withUsualImage } from './usual-image.ts';

export interface PlanInput {
  readonly loaded: Loaded;
  /** The caller's working directory, for settings that bind it. */
  readonly cwd: string;
}

const maxRemembered = 256;

/**
 * Plans made before. The configuration and the promises of a place do not change while the service runs, so the same
 * request means the same plan. One with mounts depends on the host's files too, and is made anew each time.
 */
export class Plans {
  readonly #context: Context;
  readonly #surroundings: PlanInput;
  readonly #made = new Map<string, Plan>();

  constructor(context: Context, surroundings: PlanInput) {
    this.#context = context;
    this.#surroundings = surroundings;
  }

  async planFor(request: SandboxRequest, options: StepOptions): Promise<Plan> {
    const row = request.existing === true ? await findRow(this.#context, request.taskId ?? '') : null;
    if (row === null) checkNew(request, options);
    this.#checkServer(request, row, options);
    const before = row === null && request.recreate !== true ? await this.#before(request) : null;
    // What an owner may have changes while the service runs.
    const allowed = this.#allowed(row?.taskId ?? request.taskId ?? '');
    const asked = keyOf(request, before, options);
    const of = row === null ? asked : `${row.id} ${row.generation}`;
    const key = allowed === null ? of : `${of} ${JSON.stringify(allowed)}`;
    const known = this.#made.get(key);
    const plan = known ?? (await this.#make(request, { row, before }, options));
    if (known === undefined && plan.spec.mounts.length === 0) this.#remember(key, plan);
    const taskId = row?.taskId ?? request.taskId ?? newTaskId();
    const bound = options.caller?.bounds?.label ?? null;
    const made = { ...plan, taskId, recreate: request.recreate ?? false, existing: row !== null, bound };
    return request.server === undefined ? made : planOfServer(made, request.server);
  }

  /** What a sandbox goes without on a backend where nothing but the defaults wants it. */
  async missingOn(backend: string, options: StepOptions): Promise<Plan['degraded']> {
    const { loaded } = this.#surroundings;
    const place = await this.#context.backend(backend);
    // The place may never be used.
    const guarantees = await place.guarantees({ ...cancelable(options), trial: 'known' });
    const settled = resolveSpec(loaded, { backend }, guarantees, { cwd: null, env: loaded.env });
    const { degraded } = compareSpec({ ...settled, allowDegraded: true }, guarantees);
    return degraded.filter(({ asked }) => !asked);
  }

  /** Throws `permission_denied` for what is more than the configuration gives to another owner than the operator. */
  checkTimes(taskId: string, times: Partial<Times>): void {
    if (ownerOf(taskId) !== operator)
      checkWithin(times, configuredTimes(this.#surroundings.loaded.forTask(taskId).terminal));
  }

  /** The sandbox that the task has, and that the request may leave as it is. */
  async #before({ taskId }: SandboxRequest): Promise<SandboxRow | null> {
    const row = taskId === undefined ? null : await this.#context.store.sandboxes.ofTask(checkTaskKey(taskId));
    return row === null || row.state === 'creating' || row.state === 'destroying' ? null : row;
  }

  async #make(
    request: SandboxRequest,
    { row, before }: { readonly row: SandboxRow | null; readonly before: SandboxRow | null },
    options: StepOptions,
  ): Promise<Plan> {
    const { loaded } = this.#surroundings;
    const cwd = options.said?.directory ?? this.#surroundings.cwd;
    const configured = (task: string): string => {
      const { backend } = loaded.forTask(task).terminal;
      return before === null ? backend : backendBefore(backend, before);
    };
    const taskId = row?.taskId ?? (request.taskId === undefined ? newTaskId() : checkTaskKey(request.taskId));
    const owned = this.#allowed(taskId);
    const allowed = withinBounds(owned, options.caller?.bounds);
    const place = row?.backend ?? placeOf(request, configured(taskId), allowed);
    const named = { ...request, ...(row === null ? {} : { taskId }), backend: place };
    const backend = await this.#context.backend(place);
    const guarantees = await backend.guarantees(cancelable(options));
    this.checkTimes(taskId, askedTimes(request));
    const resolved = resolveSpec(loaded, named, guarantees, { cwd: row === null ? cwd : null, env: loaded.env });
    const made = async (): Promise<Settled> => {
      const mine = await this.#settle(resolved, { backend, before }, options);
      return allowed === null ? mine : cappedSettings(mine, allowed);
    };
    const mine = row === null ? await made() : asItIs(resolved, row);
    const inBounds = owned === null ? mine : ownedSettings(mine, { ...guarantees, allowed: owned });
    const settled = { ...inBounds, spec: withFilter(inBounds.spec, guarantees) };
    return {
      ...settled,
      ...compareSpec(settled, guarantees),
      fingerprint: fingerprint(settled.spec),
      taskId,
      guarantees,
      recreate: false,
      existing: row !== null,
      bound: null,
    };
  }

  #checkServer(request: SandboxRequest, row: SandboxRow | null, { caller }: StepOptions): void {
    const servers = Object.keys(this.#surroundings.loaded.config.mcp_servers);
    checkServerTask(request, { taskId: row?.taskId ?? request.taskId, servers, isClient: caller !== undefined });
  }

  /** `null`: it is the operator's, who may have anything. */
  #allowed(taskId: string): Allowed | null {
    const owner = ownerOf(taskId);
    return owner === operator ? null : this.#context.allowed(owner);
  }

  async #settle(
    resolved: Settled,
    { backend, before }: { readonly backend: Backend; readonly before: SandboxRow | null },
    options: StepOptions,
  ): Promise<Settled> {
    return before === null ? await withUsualImage(resolved, backend, options) : asBefore(resolved, before);
  }

  #remember(key: string, plan: Plan): void {
    if (this.#made.size >= maxRemembered) this.#made.clear();
    this.#made.set(key, plan);
  }
}

function placeOf(request: SandboxRequest, usual: string, allowed: Allowed | null): string {
  return allowed === null ? (request.backend ?? usual) : ownedBackend(request, usual, allowed);
}

/** A task of another owner is made on behalf of that owner alone, and the caller's directory is bound for no client. */
function checkNew({ taskId, project }: SandboxRequest, { caller }: StepOptions): void {
  if (project === true && caller !== undefined)
    throw new CaissonError('permission_denied', 'a client of the service has no directory on its host');
  if (taskId !== undefined && ownerOf(taskId) !== (caller?.owner ?? operator)) checkTaskId(taskId);
}

/** Everything of a request that has a say in its plan. */
function keyOf(request: SandboxRequest, before: SandboxRow | null, { caller, said }: StepOptions): string {
  const bounds = caller?.bounds;
  const { taskId, backend, image, limits, network, persistent, cwd, allowDegraded } = request;
  const { labels, idleTimeoutMs, lifetimeMs, project = false } = request;
  const asked = [taskId, backend, image, limits, network, persistent, cwd, allowDegraded, project];
  const times = [
    labels,
    idleTimeoutMs === undefined ? 'configured' : idleTimeoutMs,
    lifetimeMs === undefined ? 'configured' : lifetimeMs,
  ];
  return JSON.stringify([
    ...asked,
    ...times,
    bounds?.images,
    bounds?.backends,
    before?.id,
    before?.generation,
    said?.directory,
  ]);
}

/** The spec of the sandbox that is there. A control that it had and the place has lost since is not given up silently. */
function asItIs(resolved: Settled, row: SandboxRow): Settled {
  const missing = new Set(row.degraded.map((item) => item.control));
  const asked = new Set([...allControls].filter((control) => !missing.has(control)));
  return {
    ...resolved,
    spec: row.spec,
    configured: row.configured ?? resolved.configured,
    asked,
    allowDegraded: false,
    ephemeral: row.ephemeral,
    idleMs: row.idleMs,
    ttlMs: row.ttlMs,
    labels: {},
    times: {},
  };
}

const allControls = [
  'cpuCores',
  'memoryBytes',
  'diskBytes',
  'pids',
  'network',
  'persistent',
  'mounts',
  'image',
  'readOnlyRoot',
  'seccomp',
  'runtime',
  'shmBytes',
  'user',
];
