/** The sandboxes of a state directory. */
import type {
  Acquired,
  GcItem,
  Inspected,
  Options,
  Page,
  Samples,
  SamplesInput,
  SandboxesApi,
  SandboxChange,
  SandboxFilter,
  SandboxLimits,
  SandboxRequest,
  SandboxUse,
  SandboxView,
  Stats,
  UseFilter,
} from './api.ts';
import { askedTimes, type Times } from '../plan/times.ts';
import type { Plan } from '../plan/types.ts';
import { acquire } from '../sandbox/acquire.ts';
import type { Context, StepOptions } from '../sandbox/context.ts';
import { changeSandbox, touchSandbox } from '../sandbox/change.ts';
import { abandonSandbox, whyAbandoned } from '../sandbox/abandon.ts';
import { findRow, removeSandbox, stopSandbox } from '../sandbox/end.ts';
import type { Within } from '../sandbox/healing.ts';
import { inspectSandbox } from '../sandbox/inspect.ts';
import { limitsOf } from '../sandbox/limits.ts';
import { measured } from '../sandbox/measure.ts';
import { readStats } from '../sandbox/stats.ts';
import { viewOf } from '../sandbox/view.ts';
import { refuseWhenFull } from '../store/reserve.ts';
import type { SandboxRow } from '../store/store.ts';
import { gc, type GcDependencies } from './admin/gc.ts';
import type { GcHow } from './admin/gc-item.ts';
import type { Sweeper } from './admin/sweeper.ts';
import type { Processes } from './exec/processes.ts';
import { limitOf, pageOf, positionOf } from './pages.ts';
import { Sampler } from './watch/sampler.ts';
import { Top } from './watch/top.ts';

export interface SandboxesDependencies extends GcDependencies {
  readonly processes: Processes;
  readonly sweeper: Sweeper;
  /** Fires when this process closes. */
  readonly closing: AbortSignal;
  readonly plan: (request: SandboxRequest, options: StepOptions) => Promise<Plan>;
  readonly plans: { checkTimes(taskId: string, times: Partial<Times>): void };
  readonly within: Within;
}

export class Sandboxes implements SandboxesApi {
  readonly #parts: SandboxesDependencies;
  readonly #context: Context;
  readonly #top: Top;
  readonly #sampler: Sampler;

  constructor(parts: SandboxesDependencies) {
    this.#parts = parts;
    this.#context = parts.context;
    this.#top = new Top(parts.context);
    this.#sampler = new Sampler(parts.context);
    parts.closing.addEventListener('abort', () => this.#sampler.stop(), { once: true });
  }

  async create(request: SandboxRequest, options: Options = {}): Promise<Acquired> {
    if (request.existing !== true) refuseWhenFull(this.#context.home);
    const plan = await this.#parts.plan(request, options);
    const handle = await acquire(this.#context, plan, options);
    const effective = await measured(this.#context, handle.row, handle.sandbox);
    const { row, sandbox, how, lostSince } = handle;
    return { sandbox: viewOf({ ...row, effective }, sandbox.place, this.#context.clock), how, lostSince };
  }

  async list({ pool = false, ...filter }: SandboxFilter = {}): Promise<Page<SandboxView>> {
    const limit = limitOf(filter);
    const query = { ...filter, members: pool, after: positionOf(filter), limit: limit + 1 };
    const rows = await this.#context.store.sandboxes.list(query);
    const { items, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
    return { items: items.map((row) => viewOf(row, null, this.#context.clock)), nextCursor };
  }

  async get(task: string, options: Options = {}): Promise<Inspected> {
    return await inspectSandbox(this.#context, task, options);
  }

  async update(task: string, change: SandboxChange, options: Options = {}): Promise<SandboxView> {
    const { labels = {} } = change;
    const times = askedTimes(change);
    const { taskId } = await findRow(this.#context, task);
    this.#parts.plans.checkTimes(taskId, times);
    const row = await changeSandbox(this.#context, task, { labels, times }, options);
    return viewOf(row, null, this.#context.clock);
  }

  async touch(task: string): Promise<SandboxView> {
    return viewOf(await touchSandbox(this.#context, task), null, this.#context.clock);
  }

  async limits(task: string, options: Options = {}): Promise<SandboxLimits> {
    const inspected = await this.get(task, options);
    const { timeoutMs, guarantees } = await this.#parts.plan({ taskId: inspected.id, existing: true }, options);
    return limitsOf(inspected, { guarantees, commandTimeoutMs: timeoutMs });
  }

  async start(task: string, options: Options = {}): Promise<Acquired> {
    return await this.create({ taskId: task, existing: true }, options);
  }

  async stop(task: string, options: Options = {}): Promise<void> {
    await stopSandbox(this.#context, task, options);
  }

  async remove(task: string, how: { readonly keepFiles?: boolean } = {}, options: Options = {}): Promise<void> {
    const { keepFiles = false } = how;
    const forget = async (row: SandboxRow): Promise<void> => await this.#parts.processes.forgetSandbox(row, options);
    await removeSandbox(this.#context, task, { ...options, keepFiles, forget: keepFiles ? undefined : forget });
  }

  async stats(task: string, options: Options = {}): Promise<Stats> {
    return await this.#parts.within(task, options, async (handle) => await readStats(handle, options));
  }

  async samples(task: string, input: SamplesInput = {}): Promise<Samples> {
    return await this.#sampler.of((await findRow(this.#context, task)).id, input);
  }

  keepSamples(): void {
    this.#sampler.begin();
  }

  async top(filter: UseFilter = {}, options: Options = {}): Promise<readonly SandboxUse[]> {
    return await this.#top.list(filter, options.signal);
  }

  async gc({ dryRun, force }: GcHow, options: Options = {}): Promise<readonly GcItem[]> {
    if (force !== undefined) return [await this.#abandon(force, { ...options, dryRun })];
    await this.#parts.sweeper.settled(); // what it works on is held by us, and would be passed over
    return [...(await this.#parts.processes.collect(dryRun)), ...(await gc(this.#parts, { dryRun }))];
  }
  async #abandon(task: string, how: Options & Pick<GcHow, 'dryRun'>): Promise<GcItem> {
    const { id, backend, taskId } = await abandonSandbox(this.#context, task, how);
    return { kind: 'sandbox', backend, name: id, taskId, why: whyAbandoned };
  }
}
