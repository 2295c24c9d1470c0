/** Tools about sandboxes. Nothing of their answers names the host. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import type { Acquired, SandboxView } from '../../service/api.ts';
import { tool } from '../tool.ts';
import { newTask, task } from './schemas.ts';

const limit = z.number().positive().optional();
const states = ['creating', 'pooled', 'ready', 'stopping', 'stopped', 'destroying'] as const;

function shown(view: SandboxView): Readonly<Record<string, unknown>> {
  const { taskId, id, backend, state, spec, labels, degraded, createdAt, usedAt, expiresAt } = view;
  return {
    task: taskId,
    id,
    backend,
    state,
    labels,
    degraded,
    image: spec.image,
    limits: spec.limits,
    network: spec.network,
    persistent: spec.persistent,
    directory: spec.cwd,
    created_at: createdAt,
    used_at: usedAt,
    expires_at: expiresAt,
  };
}

const changing = {
  scope: 'run',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
} as const;
const reading = {
  scope: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
} as const;

export const createSandbox = tool({
  ...changing,
  name: 'create_sandbox',
  title: 'Make a sandbox',
  description:
    'Makes the sandbox of a task, or finds the one it has. run_command does it by itself with what is configured; use this to choose image, limits or network. how "creating": it takes longer; call again with the same arguments.',
  hints: { ...changing.hints, destructive: false, openWorld: true },
  input: z.strictObject({
    task: newTask,
    image: z.string().min(1).max(512).regex(/^[^-]/).optional(),
    backend: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/)
      .optional(),
    limits: z
      .strictObject({ cpu_cores: limit, memory_bytes: limit, disk_bytes: limit, pids: limit })
      .optional()
      .describe('What cannot be enforced is an error, and nothing is made.'),
    network: z.enum(['open', 'none']).optional(),
    labels: z.record(z.string().min(1).max(317), z.string().max(63)).optional(),
    allow_degraded: z.boolean().optional().describe('Needs the scope admin.'),
  }),
  run: async ({ parts, signal, leftMs }, args) => {
    if (args.allow_degraded === true && !parts.scopes.includes('admin'))
      throw new CaissonError('permission_denied', 'allow_degraded needs a token with the scope admin');
    const { cpu_cores: cpuCores, memory_bytes: memoryBytes, disk_bytes: diskBytes, pids } = args.limits ?? {};
    const making = parts.api.sandboxes.create(
      {
        taskId: args.task,
        ...given({ image: args.image, backend: args.backend, network: args.network, labels: args.labels }),
        ...(args.limits === undefined ? {} : { limits: given({ cpuCores, memoryBytes, diskBytes, pids }) }),
        ...given({ allowDegraded: args.allow_degraded }),
      },
      { signal },
    );
    const acquired = await inTime(making, leftMs());
    if (acquired === null) return { data: { how: 'creating', sandbox: null } };
    return { data: { how: acquired.how, sandbox: shown(acquired.sandbox) } };
  },
});

/** `null`: it takes longer. It goes on, and its end is found by the next call. */
async function inTime(making: Promise<Acquired>, ms: number): Promise<Acquired | null> {
  const over = new AbortController();
  making.catch(() => undefined);
  try {
    return await Promise.race([making, sleep(Math.max(0, ms), null, over).catch(() => null)]);
  } finally {
    over.abort();
  }
}

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function given<T extends object>(values: T): Defined<T>;
function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

export const listSandboxes = tool({
  ...reading,
  name: 'list_sandboxes',
  title: 'List sandboxes',
  description: 'Lists the sandboxes that there are, oldest first.',
  input: z.strictObject({
    label: z
      .string()
      .regex(/^[^=]{1,317}=[^=]{0,63}$/)
      .optional()
      .describe('KEY=VALUE, which it has.'),
    state: z.enum(states).optional(),
    cursor: z.string().max(4096).optional().describe('`next` of the page before.'),
    limit: z.int().min(1).max(200).optional().describe('Absent: 50.'),
  }),
  run: async ({ parts: { api }, signal }, { label, state, cursor, limit: max = 50 }) => {
    const [key, value] = label?.split('=') ?? [];
    const labels = key === undefined || value === undefined ? undefined : { [key]: value };
    const page = await api.sandboxes.list({ limit: max, ...given({ state, cursor, labels }) }, { signal });
    return { data: { sandboxes: page.items.map(shown), next: page.nextCursor } };
  },
});

export const inspectSandbox = tool({
  ...reading,
  name: 'inspect_sandbox',
  title: 'Inspect a sandbox',
  description:
    'Shows what was wanted of a sandbox beside what holds in it, what is missing, what it uses now (null: it does not run, or its place cannot tell), its background commands and its sessions.',
  input: z.strictObject({ task }),
  run: async ({ parts: { api }, signal }, args) => {
    const options = { signal };
    const found = await api.sandboxes.get(args.task, options);
    const { limits } = await api.sandboxes.limits(args.task, options);
    const runs = found.resource === 'running';
    const [usage, processes, sessions] = await Promise.all([
      runs ? api.sandboxes.stats(args.task, options).catch(() => null) : null,
      runs ? api.processes.list({ task: args.task }, options) : [],
      runs ? api.sessions.list(args.task, options) : [],
    ]);
    return {
      data: {
        sandbox: { ...shown(found), resource: found.resource },
        limits: limits.map(({ name, wanted, effective, standing, why }) => ({
          name,
          wanted,
          effective,
          standing,
          why,
        })),
        usage: usage === null ? null : { ...usage },
        processes: processes.map(({ id, command, state }) => ({ exec_id: id, command: [...command], state })),
        sessions: sessions.map(({ name, open }) => ({ name, open })),
      },
    };
  },
});

export const stopSandbox = tool({
  ...changing,
  name: 'stop_sandbox',
  title: 'Stop a sandbox',
  description: 'Ends all processes of a sandbox and keeps its files. The next command starts it again.',
  input: z.strictObject({ task }),
  run: async ({ parts: { api }, signal }, args) => {
    await api.sandboxes.stop(args.task, { signal });
    return { data: { stopped: args.task } };
  },
});

export const removeSandbox = tool({
  ...changing,
  name: 'remove_sandbox',
  title: 'Remove a sandbox',
  description:
    'Removes a sandbox and its files; with keep_files, the directory of the task stays for its next sandbox.',
  input: z.strictObject({ task, keep_files: z.boolean().optional() }),
  run: async ({ parts: { api }, signal }, { task: name, keep_files: keepFiles = false }) => {
    await api.sandboxes.remove(name, { keepFiles }, { signal });
    return { data: { removed: name } };
  },
});
