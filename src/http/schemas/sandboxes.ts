import { z } from 'zod';
import {
  bodyWithTask,
  insidePath,
  listOf,
  outcome,
  ownerQuery,
  queryCount,
  queryFlag,
  recordsOf,
  taskId,
  taskNames,
  time,
} from './common.ts';

const limit = z.number().positive().nullable();

const limits = z.object({ cpuCores: limit, memoryBytes: limit, diskBytes: limit, pids: limit });
const network = z.enum(['open', 'observe', 'filtered', 'none']);

const labelKey = z.string().min(1).max(317);
const labelValue = z.string().max(63);
const span = z.int().min(1).nullable();
const changeable = {
  idleTimeoutMs: span.exactOptional().describe('Without use; it is stopped then. null: never.'),
  lifetimeMs: span.exactOptional().describe('Since its creation; it is removed then. null: never.'),
} as const;

/** `?label=KEY=VALUE`, once or more often. */
const labelText = z
  .string()
  .max(512)
  .regex(/^[^=]+=[^=]*$/)
  .transform((label): [string, string] => {
    const at = label.indexOf('=');
    return [label.slice(0, at), label.slice(at + 1)];
  });
export const labelQuery = z
  .union([labelText.transform((label) => [label]), z.array(labelText).min(1).max(64)])
  .describe('KEY=VALUE, which it has; may be given more than once.');

const changeBody = z
  .strictObject({
    ...changeable,
    labels: z
      .record(labelKey, labelValue.nullable())
      .exactOptional()
      .describe('Set beside those that are there; null removes one.'),
  })
  .meta({ id: 'SandboxChange' });

/** What a request may say about the sandbox that it makes. */
export const sandboxFields = {
  backend: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .exactOptional(),
  image: z.string().min(1).max(512).regex(/^[^-]/).exactOptional(),
  limits: z
    .strictObject({
      cpuCores: limit.exactOptional(),
      memoryBytes: limit.exactOptional(),
      diskBytes: limit.exactOptional(),
      pids: limit.exactOptional(),
    })
    .exactOptional(),
  network: network.exactOptional(),
  persistent: z.boolean().exactOptional(),
  cwd: insidePath.exactOptional(),
  allowDegraded: z.boolean().exactOptional().describe('Needs the scope admin.'),
  ...changeable,
  labels: z.record(labelKey, labelValue).exactOptional(),
  recreate: z.boolean().exactOptional().describe('Replace one that was made from another spec.'),
} as const;

export const sandboxBody = bodyWithTask('SandboxRequest', {
  ...taskNames(taskId, 'Of the caller: lower-case letters, digits, - and _.'),
  ...sandboxFields,
});

export const states = z.enum(['creating', 'pooled', 'ready', 'stopping', 'stopped', 'destroying']);
export const how = z.enum(['created', 'found', 'started', 'recreated']);
export const lostSince = time
  .nullable()
  .describe('Its place ended it, and its files are of this moment. null: nothing was lost.');
export const degraded = z.array(
  z.object({
    control: z.string(),
    wanted: z.union([z.string(), z.number(), z.boolean()]),
    reason: z.string(),
    asked: z.boolean().describe('By the request or the configuration; false: the defaults want it.'),
  }),
);

/** Without paths of the host. */
export const sandbox = z
  .object({
    id: z.string(),
    taskId: z.string(),
    backend: z.string(),
    state: states,
    name: z.string(),
    place: z
      .object({
        host: z.string().nullable(),
        resource: z.string().nullable(),
        imageDigest: z.string().nullable(),
      })
      .nullable(),
    spec: z.object({
      backend: z.string(),
      image: z.string().nullable(),
      limits,
      network,
      filteredBy: z
        .literal('place')
        .exactOptional()
        .describe('Its place filters by a list of its own; there is no proxy.'),
      persistent: z.boolean(),
      cwd: z.string(),
      mounts: z.array(z.object({ target: z.string(), readOnly: z.boolean() })).readonly(),
    }),
    fingerprint: z.string(),
    effective: z.record(z.string(), z.unknown()).nullable().describe('What was measured inside.'),
    degraded: degraded.readonly(),
    lostSince,
    ephemeral: z.boolean(),
    labels: z.record(z.string(), z.string()),
    idleTimeoutMs: z.number().nullable(),
    lifetimeMs: z.number().nullable(),
    generation: z.int(),
    createdAt: time,
    usedAt: time,
    expiresAt: time.nullable(),
  })
  .meta({ id: 'Sandbox' });

export const end = z.object({
  by: z.enum(['idle', 'lifetime', 'process']),
  does: z.enum(['stop', 'remove']),
  at: time.nullable(),
});

const inspected = sandbox
  .extend({
    resource: z.string().describe('As its place tells it now; `gone` when it is not there.'),
    endsBy: z.array(end).readonly().describe('What ends it, the earliest first.'),
    noLanes: z
      .string()
      .nullable()
      .describe('Why commands go the direct way there; null: nothing speaks against lanes.'),
  })
  .meta({ id: 'InspectedSandbox' });

export const acquired = z.object({ sandbox, how, lostSince }).meta({ id: 'Acquired' });

const standing = z.enum(['measured', 'enforced', 'not-enforced', 'unlimited']);
const why = z.string().nullable();
export const limitsPage = z
  .object({
    taskId: z.string(),
    sandboxId: z.string(),
    backend: z.string(),
    isolation: z.enum(['none', 'remote-host', 'container', 'vm']),
    limits: z
      .array(z.object({ name: z.string(), wanted: limit, effective: z.number().nullable(), standing, why }))
      .readonly(),
    network: z.object({ mode: network, standing, why }),
    readOnly: z.array(z.string()).readonly(),
    cwd: z.string(),
    idleTimeoutMs: z.number().nullable(),
    lifetimeMs: z.number().nullable(),
    commandTimeoutMs: z.number().nullable(),
    endsBy: z.array(end).readonly(),
    kept: z.enum(['directories', 'all', 'nothing']),
  })
  .meta({ id: 'SandboxLimits' });

const measured = z.number().nullable();

const stats = z
  .object({
    cpuNanos: measured,
    memoryBytes: measured,
    memoryLimitBytes: measured,
    pids: measured,
    pidsLimit: measured,
    networkReceivedBytes: measured,
    networkSentBytes: measured,
  })
  .meta({ id: 'Stats' });

const figures = {
  cpuCores: measured,
  memoryBytes: measured,
  pids: measured,
  receivedPerSecond: measured,
  sentPerSecond: measured,
} as const;
const samples = z
  .object({
    recent: z
      .array(z.object({ at: time, ...figures }))
      .readonly()
      .describe('Of the last hour, about ten seconds apart, oldest first.'),
    minutes: z
      .array(z.object({ at: time, mean: z.object(figures), max: z.object(figures) }))
      .readonly()
      .describe('Of the last day, oldest first.'),
  })
  .meta({ id: 'Samples' });

const gcItem = z.object({
  kind: z.enum(['process', 'sandbox', 'resource', 'directory', 'journal']),
  backend: z.string().nullable(),
  name: z.string(),
  taskId: z.string().nullable(),
  why: z.string(),
  error: z.string().optional(),
});

const use = z
  .object({
    taskId: z.string(),
    sandboxId: z.string(),
    owner: z.string(),
    backend: z.string(),
    state: states,
    stats: stats.nullable().describe('null: it does not run, or its place does not tell.'),
    why: z.string().nullable().describe('Why there are no figures of one that runs.'),
    cpuCores: z.number().nullable().describe('Since the reading before; null: there was none.'),
    diskBytes: z.int().nullable().describe('Of the directory of the task on the host.'),
    last: z.object({ command: z.array(z.string()).readonly(), startedAt: time, outcome }).nullable(),
    usedAt: time,
    expiresAt: time.nullable(),
  })
  .meta({ id: 'SandboxUse' });

/** What plain routes take and give. */
export const plain = {
  get: { answer: inspected },
  update: { body: changeBody, answer: sandbox },
  touch: { answer: sandbox },
  start: { answer: acquired },
  stop: {},
  remove: { query: z.strictObject({ keepFiles: queryFlag.exactOptional() }) },
  stats: { answer: stats },
  samples: {
    query: z.strictObject({
      last: queryCount.exactOptional().describe('Only so many of the last `recent`, and no minutes.'),
    }),
    answer: samples,
  },
  top: { query: z.strictObject({ task: recordsOf.exactOptional(), owner: ownerQuery }), answer: listOf(use) },
  gc: {
    body: z.strictObject({
      dryRun: z.boolean(),
      force: recordsOf.exactOptional().describe('Gives up this sandbox alone, whose host does not answer.'),
    }),
    answer: listOf(gcItem),
  },
} as const;
