import { z } from 'zod';
import { taskId, time } from './common.ts';
import { degraded } from './sandboxes.ts';

const texts = z.array(z.string()).readonly();
const rules = z.strictObject({
  allow: z.array(z.string().max(4096)).max(1000).exactOptional(),
  ask: z.array(z.string().max(4096)).max(1000).exactOptional(),
  deny: z.array(z.string().max(4096)).max(1000).exactOptional(),
});

export const checkBody = z
  .strictObject({
    commands: z
      .array(z.union([z.string().max(65_536), z.array(z.string().max(65_536)).min(1).max(1000)]))
      .min(1)
      .max(1000),
    backend: z.string().max(32).exactOptional(),
    cwd: z.string().max(4096).exactOptional(),
    stdin: z.boolean().exactOptional(),
    rules: rules.exactOptional(),
    mode: z.enum(['autonomous', 'cautious', 'supervised', 'plan']).exactOptional(),
    profile: z.enum(['standard', 'strict']).exactOptional(),
  })
  .meta({ id: 'PolicyCheck' });

const finding = z.object({
  rule: z.string(),
  description: z.string(),
  start: z.int(),
  end: z.int(),
  because: z
    .string()
    .exactOptional()
    .describe('The permission rule, or `mode NAME`, that could not be held otherwise.'),
});
export const decision = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']),
    tier: z.enum(['hardline', 'dangerous', 'rule', 'mode', 'none']),
    findings: z.array(finding).readonly(),
  })
  .meta({ id: 'Decision' });

const url = z.string().max(65_536);
export const urlsBody = z
  .strictObject({
    urls: z
      .array(
        z.strictObject({
          url,
          dns: z.array(z.string().max(253)).max(100).exactOptional(),
          redirects: z.array(url).max(100).exactOptional(),
        }),
      )
      .min(1)
      .max(1000),
  })
  .meta({ id: 'UrlCheck' });
export const urlVerdict = z.object({ url: z.string(), verdict: z.enum(['allow', 'block']), reason: z.string() });

export const examples = z.object({ rule: z.string(), examples: z.int(), problems: texts });
export const ignored = z.object({ source: z.string(), rule: z.string() });
export const hooksBody = z.strictObject({ names: z.array(z.string().max(4096)).max(1000) });
export const hook = z.object({
  tool: z.string(),
  command: texts,
  path: z.string(),
  files: z.array(z.object({ path: z.string(), sha256: z.string().nullable() })).readonly(),
  state: z.enum(['accepted', 'new', 'changed', 'unusable']),
  problem: z.string().nullable(),
});

export const verification = z.object({
  intact: z.boolean(),
  records: z.int(),
  firstSeq: z.int().nullable(),
  lastSeq: z.int().nullable(),
  torn: z.int(),
  broken: z.object({ seq: z.int(), reason: z.string() }).nullable(),
});

export const image = z
  .object({ backend: z.string(), reference: z.string(), id: z.string(), bytes: z.number(), created: z.string() })
  .meta({ id: 'Image' });
export const recipe = z.object({ name: z.string(), reference: z.string(), about: z.string() });
export const buildBody = z.strictObject({
  recipe: z.string().max(64),
  method: z.enum(['packages', 'dockerfile']).exactOptional(),
});
export const built = z.object({ reference: z.string(), id: z.string() });

/** Versions and known holes of a host are for its operator: with the scope admin. */
const facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const hole = z.object({
  severity: z.enum(['warning', 'error']),
  id: z.string(),
  message: z.string(),
  remedy: z.string(),
});

export const backend = z
  .object({
    backend: z.string(),
    status: z.enum(['ready', 'unhealthy', 'missing']),
    summary: z.string(),
    remedy: z.string().nullable(),
    module: z.string().nullable().optional(),
    facts: facts.optional(),
    findings: z.array(hole).optional(),
    degraded: degraded
      .readonly()
      .optional()
      .describe('What the defaults want of a sandbox and the place does not have.'),
  })
  .meta({ id: 'Backend' });
export const accountItem = z.object({
  name: z.string(),
  state: z.enum(['created', 'running', 'paused', 'stopped', 'unresponsive', 'unknown']),
  since: time.nullable(),
  cpuCores: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  owner: z.enum(['this', 'other', 'none']),
  taskId: z.string().nullable(),
});
export const hostKey = z.object({
  host: z.string(),
  type: z.string(),
  fingerprint: z.string(),
  standing: z.enum(['known', 'unknown', 'refused']),
});
export const hostKeyBody = z.strictObject({ host: z.string().max(512), fingerprint: z.string().max(512) });

export const scope = z.enum(['run', 'read', 'approve', 'admin']);
const label = z.strictObject({ key: z.string().min(1).max(317), value: z.string().max(63) });

export const tokenBody = z
  .strictObject({
    name: z.string().min(1).max(100),
    scopes: z.array(scope).min(1).max(4),
    owner: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/)
      .exactOptional()
      .describe('Whose sandboxes its bearer has. Absent: operator.'),
    lifetimeMs: z.int().min(1000).exactOptional(),
    limits: z
      .strictObject({
        execs: z.int().min(1).max(1_000_000).exactOptional(),
        requestsPerMinute: z.int().min(1).max(1_000_000).exactOptional(),
      })
      .exactOptional()
      .describe('Beside those of its owner.'),
    task: taskId.exactOptional().describe('The only task that it sees and makes.'),
    label: label.exactOptional().describe('It sees only sandboxes with it, and makes them with it.'),
    images: z.array(z.string().min(1).max(512)).min(1).max(64).exactOptional(),
    backends: z.array(z.string().min(1).max(32)).min(1).max(64).exactOptional(),
  })
  .meta({ id: 'TokenRequest' });
export const token = z
  .object({
    id: z.string(),
    owner: z.string(),
    name: z.string(),
    scopes: z.array(scope).readonly(),
    bounds: z
      .object({
        task: z.string().nullable(),
        label: z.object({ key: z.string(), value: z.string() }).nullable(),
        images: texts.nullable(),
        backends: texts.nullable(),
      })
      .nullable()
      .describe('null: bound to nothing but its owner.'),
    createdAt: time,
    expiresAt: time.nullable(),
    limits: z.object({ execs: z.int().nullable(), requestsPerMinute: z.int().nullable() }),
  })
  .meta({ id: 'Token' });
export const newToken = token
  .extend({ token: z.string().describe('Shown here, and never again.') })
  .meta({ id: 'NewToken' });

export const ticketBody = z.strictObject({ path: z.string().regex(/^\/v1\/[\w./?&=%-]{1,2048}$/) });
export const ticket = z.object({ ticket: z.string(), expiresInMs: z.int() }).meta({ id: 'Ticket' });

export const setting = z.object({ key: z.string(), value: z.unknown(), origin: z.string() });
export const reloaded = z
  .object({ changed: z.array(z.string()).readonly(), needsRestart: z.array(z.string()).readonly() })
  .meta({ id: 'Reloaded' });
export const pending = z
  .object({
    holds: texts.describe('Rules and hosts of the file that hold already, since they ask or deny.'),
    loosens: texts.describe('What a reload would no longer forbid, and what it would allow.'),
    reload: texts.describe('Keys that a reload takes up.'),
    restart: texts.describe('Keys that hold when the service is started again.'),
    problem: z.string().nullable().describe('Why nothing of the file is taken up.'),
  })
  .meta({ id: 'Pending' });
const count = z.int().min(0);
export const budget = z
  .object({
    name: z.string(),
    total: count.nullable().describe('What all owners together may hold; null: no limit.'),
    perOwner: count.nullable().describe('What each owner may hold; the operator has the total.'),
    used: count,
    waiting: count.describe('Requests that wait for it.'),
    refused: z
      .object({ owner: count, total: count, waiting: count })
      .describe(
        'Requests that were refused since the service began: by the limit of their owner, by the total, and as too many waited.',
      ),
    largest: z.object({ owner: z.string(), used: count }).nullable().describe('The owner that holds the most now.'),
    lastRefused: z.object({ owner: z.string(), agoMs: count }).nullable(),
  })
  .meta({ id: 'Budget' });
const free = count.nullable().describe('null: the system does not tell.');
export const status = z
  .object({
    level: z.enum(['well', 'attention', 'broken']).describe('The worst of the concerns.'),
    concerns: z
      .array(
        z.object({
          level: z.enum(['attention', 'broken']),
          about: z.string(),
          message: z.string(),
          remedy: z.string(),
        }),
      )
      .readonly()
      .describe('What a person should look at, worst first.'),
    version: z.string(),
    startedAt: time.describe('When the process that answers began.'),
    pending,
    backends: z
      .array(z.object({ backend: z.string(), status: z.enum(['ready', 'unhealthy', 'missing']), summary: z.string() }))
      .readonly()
      .describe('Those that are configured or have sandboxes.'),
    disk: z.object({ freeBytes: free, totalBytes: free, freeInodes: free }).describe('Of the state directory.'),
    sandboxes: z.array(z.object({ backend: z.string(), state: z.string(), count })).readonly(),
    stuck: z
      .array(z.object({ taskId: z.string(), state: z.string(), since: time }))
      .readonly()
      .describe('Sandboxes that are on their way to another state for longer than that takes.'),
    day: z.object({ lost: count, denied: count }).describe('Commands of the last day, counted up to 10,000.'),
    execsRunning: count,
    approvalsWaiting: count,
    egress: z.object({
      running: z.boolean(),
      figures: z
        .object({ open: count, allowed: count, denied: count, sentBytes: count, receivedBytes: count })
        .nullable()
        .describe('Since the proxy began; null: none has run.'),
    }),
    webhooks: z.array(z.object({ endpoint: z.string(), waiting: count, givenUp: count })).readonly(),
    budgets: z.array(budget).readonly().describe('Those that are in use or have refused something.'),
    audit: z.object({
      records: count,
      bytes: count,
      verified: z
        .object({ at: time, through: count, intact: z.boolean() })
        .nullable()
        .describe('The last verification, and up to which record it went; null: there was none.'),
    }),
  })
  .meta({ id: 'Status' });
export const settingBody = z.strictObject({ key: z.string().max(256), text: z.string().max(65_536) });
