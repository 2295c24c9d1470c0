/** `caisson.sandboxes`. `task` is a task id or a sandbox id, here and for every other noun. */
import type { Stats } from '../../backend.ts';
import type { AskedTimes } from '../../plan/times.ts';
import type { SandboxRequest } from '../../plan/types.ts';
import type { Inspected, SandboxLimits } from '../../sandbox/types.ts';
import type { Samples, SamplesInput } from '../samples.ts';
import type { SandboxUse, UseFilter } from '../top.ts';
import type { GcHow, GcItem } from '../admin/gc-item.ts';
import type { Acquired, Options, Page, SandboxFilter, SandboxView } from '../types.ts';
import { admin, read, type Rows, run } from './row.ts';

/** What can be changed about a sandbox that is there. */
export interface SandboxChange extends AskedTimes {
  /** Set beside those that are there; `null` removes one. */
  readonly labels?: Readonly<Record<string, string | null>>;
}

export interface SandboxesApi {
  /** Gets the sandbox of the task, or makes it. */
  create(request: SandboxRequest, options?: Options): Promise<Acquired>;
  /** Lists sandboxes as they are recorded, oldest first; no place is asked. */
  list(filter?: SandboxFilter, options?: Options): Promise<Page<SandboxView>>;
  /** What is recorded, and what its place says of it now. Throws `not_found`. */
  get(task: string, options?: Options): Promise<Inspected>;
  /**
   * Changes labels and times of a sandbox that is there; what it is made from stays. A merge: what is absent stays as it is.
   * Throws `not_found`, and `permission_denied` for times beyond those that the configuration gives to other owners.
   */
  update(task: string, change: SandboxChange, options?: Options): Promise<SandboxView>;
  /**
   * Counts as a use: the idle time begins anew, without a command. Throws `not_found`, and `failed_precondition` for one that does
   * not run.
   */
  touch(task: string, options?: Options): Promise<SandboxView>;
  /** Starts a sandbox that is stopped. Throws `not_found`. */
  start(task: string, options?: Options): Promise<Acquired>;
  /** Ends all processes and keeps files. Idempotent. Throws `not_found`, `not_supported` where the place cannot. */
  stop(task: string, options?: Options): Promise<void>;
  /**
   * Removes the sandbox and its files; with `keepFiles` the task's directory stays for the next sandbox of the task, or
   * until it is removed without. Throws `not_found` when there is neither a sandbox nor a kept directory.
   */
  remove(task: string, how?: { readonly keepFiles?: boolean }, options?: Options): Promise<void>;
  /** What holds in it, how that is known, and what is left when it ends; `limitsText` writes it for a model. Throws `not_found`. */
  limits(task: string, options?: Options): Promise<SandboxLimits>;
  /** Reads what the sandbox uses now. Throws `not_found`, `not_supported` where the place cannot tell. */
  stats(task: string, options?: Options): Promise<Stats>;
  /**
   * Returns the processor, memory, processes and network that the sandbox used: each reading of the last hour, and each minute of the
   * last day. A service takes readings while it runs and stores them every minute. They are removed with the sandbox. Throws
   * `not_found`.
   */
  samples(task: string, how?: SamplesInput, options?: Options): Promise<Samples>;
  /** Reads from now on what sandboxes of this process use, until it closes. */
  keepSamples(): void;
  /** Reads what all sandboxes use now, and what they did last. A place that is slow to tell is asked every five seconds at most. */
  top(filter?: UseFilter, options?: Options): Promise<readonly SandboxUse[]>;
  /**
   * Removes what time, crashes and strangers left in the state directory and in every backend. With `force` it looks at one sandbox alone, by
   * the id of its task or its own, whose host is gone: its processes are given up, and it is stopped, or removed where it keeps no
   * files. Throws `failed_precondition` while its host answers.
   */
  gc(how: GcHow, options?: Options): Promise<readonly GcItem[]>;
}

const inTask = { takes: ['task'], owner: 'place' } as const;
const sandbox = {
  id: 'text',
  taskId: 'text',
  state: 'text',
  spec: 'object',
  labels: 'object',
  directory: 'host',
} as const;
const acquired = { sandbox, how: 'text', lostSince: 'text?' } as const;
const request = {
  task: true,
  taskId: true,
  backend: true,
  image: true,
  limits: true,
  network: true,
  persistent: true,
  cwd: true,
  project: true,
  server: true,
  allowDegraded: true,
  recreate: true,
  existing: true,
  labels: true,
  idleTimeoutMs: true,
  lifetimeMs: true,
} as const;

export const sandboxes = {
  create: {
    ...run('POST', '/v1/sandboxes', 'Gets the sandbox of a task, or makes it.'),
    takes: ['...'],
    keys: request,
  },
  list: {
    ...read('GET', '/v1/sandboxes', 'Lists sandboxes as they are recorded, oldest first.'),
    takes: ['...?'],
    keys: { limit: true, cursor: true, backend: true, state: true, task: true, owner: true, labels: true, pool: true },
    brief: true,
  },
  get: {
    ...read('GET', '/v1/sandboxes/{id}', 'Shows what is recorded of a sandbox, and what its place says of it now.'),
    ...inTask,
    brief: true,
    gives: { ...sandbox, resource: 'text', endsBy: 'list' },
  },
  update: {
    ...run('PATCH', '/v1/sandboxes/{id}', 'Changes labels and times of a sandbox. What is absent stays as it is.'),
    takes: ['task', '...'],
    owner: 'place',
    keys: { labels: true, idleTimeoutMs: true, lifetimeMs: true },
    gives: sandbox,
  },
  touch: {
    ...run('POST', '/v1/sandboxes/{id}/touch', 'Counts as a use of a sandbox that runs: its idle time begins anew.'),
    ...inTask,
    brief: true,
    repeatable: true,
    gives: sandbox,
  },
  start: {
    ...run('POST', '/v1/sandboxes/{id}/start', 'Starts a sandbox that is stopped.'),
    ...inTask,
    repeatable: true,
    gives: acquired,
  },
  stop: {
    ...run('POST', '/v1/sandboxes/{id}/stop', 'Stops a sandbox and keeps its files.'),
    ...inTask,
    brief: true,
    repeatable: true,
    gives: null,
  },
  remove: {
    ...run(
      'DELETE',
      '/v1/sandboxes/{id}',
      'Removes a sandbox and its files; with keepFiles, the files of the task stay.',
    ),
    takes: ['task', '...?'],
    owner: 'place',
    brief: true,
    gives: null,
  },
  limits: {
    ...read(
      'GET',
      '/v1/sandboxes/{id}/limits',
      'Shows what holds in a sandbox and what is left when it ends; with Accept: text/markdown, for a model.',
    ),
    ...inTask,
    gives: { taskId: 'text', sandboxId: 'text', limits: 'list', network: 'object', endsBy: 'list' },
  },
  stats: {
    ...read('GET', '/v1/sandboxes/{id}/stats', 'Shows what a sandbox uses now.'),
    ...inTask,
    gives: { cpuNanos: 'number?', memoryBytes: 'number?' },
  },
  samples: {
    ...read(
      'GET',
      '/v1/sandboxes/{id}/samples',
      'Shows what a sandbox has used within the last hour and the last day.',
    ),
    takes: ['task', '...?'],
    owner: 'place',
    brief: true,
    gives: { recent: 'list', minutes: 'list' },
  },
  keepSamples: { none: 'the service does it by itself', takes: [], owner: 'refused', now: true },
  top: {
    ...read('GET', '/v1/top', 'Shows what all sandboxes use now, and what they did last.'),
    takes: ['...?'],
    keys: { task: true, owner: true, labels: true },
    brief: true,
    gives: [{ taskId: 'text', sandboxId: 'text', backend: 'text', state: 'text', stats: 'object?', last: 'object?' }],
  },
  gc: {
    ...admin('POST', '/v1/gc', 'Removes what no sandbox owns any more, or lists it.'),
    takes: ['...'],
    gives: [{ kind: 'text', name: 'text' }],
  },
} as const satisfies Rows<SandboxesApi>;
