/** Rules and records of sandboxes with a filtered network. */
import { z } from 'zod';
import { count, time } from './common.ts';
import { problem } from './common.ts';

const host = z.string().max(300);
const hosts = z.array(host).readonly();
const named = z.array(host).max(100).exactOptional();

const rulesPage = z
  .object({
    taskId: z.string(),
    sandboxId: z.string(),
    mode: z.enum(['filtered', 'observe']).describe('observe: every public name that nothing denies.'),
    revision: z.int().describe('Grows with each change.'),
    configured: z.object({ allow: hosts, deny: hosts, ports: z.array(z.int()).readonly(), presets: hosts }),
    allow: hosts.describe('Allowed for this sandbox beside the configuration, until it is removed.'),
    deny: hosts.describe('Denied for this sandbox; goes before all that is allowed.'),
    once: hosts.describe('Allowed until the end of the next command.'),
  })
  .meta({ id: 'NetworkRules' });

const rulesChange = z
  .strictObject({
    allow: named.describe('Hosts such as example.com, *.example.com or example.com:8443.'),
    deny: named.describe('Hosts; all that is below them is denied too.'),
    forget: named.describe('Taken out of both lists.'),
  })
  .meta({ id: 'NetworkChange' });

const connection = z.object({
  type: z.literal('connection'),
  startedAt: time,
  durationMs: z.number(),
  name: z.string().nullable(),
  port: z.int().nullable(),
  address: z.string().nullable().describe('null: nothing was dialled.'),
  verdict: z.enum(['allow', 'deny']),
  rule: z.string(),
  reason: z.string(),
  checked: z.enum(['server-name', 'host-header', 'address']),
  sentBytes: count,
  receivedBytes: count,
});

export const connectionEvent = z
  .discriminatedUnion('type', [
    connection,
    z.object({ type: z.literal('error'), error: problem }),
    z.object({ type: z.literal('closing'), resumeAfter: z.int().nullable() }),
    z.object({ type: z.literal('ping') }),
  ])
  .meta({ id: 'ConnectionEvent' });

const suggestion = z
  .object({ taskId: z.string(), seen: count, presets: hosts, allow: hosts })
  .meta({ id: 'NetworkSuggestion' });

/** What plain routes take and give. */
export const plain = {
  rules: { answer: rulesPage },
  change: { body: rulesChange, answer: rulesPage },
  suggest: { answer: suggestion },
} as const;
