/** The one model of events: a line of NDJSON, the data of an SSE event, a text frame of a socket. */
import { z } from 'zod';
import { outcome, problem, time } from './common.ts';
import { exit, runResult, sessionEnd, sessionResult, sessionStart, where } from './execs.ts';
import { degraded, how, lostSince } from './sandboxes.ts';

/** Events of the record of an exec. `seq` is where a reader goes on: `after=SEQ`, or Last-Event-ID. */
const recorded = { execId: z.string(), seq: z.int(), at: z.string() };

/** Beside the record, in the answer to the request that starts it: how its sandbox came to it, and what is missing. */
const placed = z.object({
  how,
  lostSince,
  degraded: degraded.readonly(),
  unsetVariables: z.array(z.string()).readonly(),
  missingFiles: z.array(z.string()).readonly(),
  session: z.object(sessionStart).optional(),
});

export const execEvent = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('started'),
      ...recorded,
      command: z.array(z.string()).readonly(),
      cwd: z.string(),
      user: z.string().exactOptional(),
      tty: z.boolean(),
      where,
      placed: placed.optional(),
    }),
    z.object({
      type: z.enum(['stdout', 'stderr']),
      ...recorded,
      encoding: z.enum(['utf-8', 'base64']).describe('base64 where the bytes are not UTF-8, so that none is lost.'),
      data: z.string(),
    }),
    z.object({ type: z.literal('gap'), ...recorded, stream: z.enum(['stdout', 'stderr']), bytes: z.int() }),
    z.object({ type: z.literal('exit'), ...recorded, exit, session: z.object(sessionEnd).optional() }),
    z.object({ type: z.literal('result'), result: z.union([sessionResult, runResult]) }).describe('With `collect`.'),
    z.object({ type: z.literal('approval-required'), approvalId: z.string() }),
    z.object({ type: z.literal('error'), error: problem }),
    z.object({ type: z.literal('closing'), resumeAfter: z.int().nullable() }),
    z.object({ type: z.literal('ping') }),
  ])
  .meta({ id: 'ExecEvent' });

export type WireEvent = z.infer<typeof execEvent>;

export const changeType = z.enum([
  ...(['sandbox.state', 'exec.started', 'exec.ended', 'process.started', 'process.ended'] as const),
  ...(['approval.asked', 'approval.answered', 'network.denied'] as const),
]);

export const changeEvent = z
  .union([
    z.object({
      type: changeType,
      seq: z.int(),
      at: z.string(),
      owner: z.string(),
      author: z.string().describe('Id of a token, or operator, sweeper, reaper, shutdown or proxy.'),
      reason: z.string().nullable().describe('Why that acted by itself.'),
      data: z.record(z.string(), z.unknown()).describe('Ids, and what changed.'),
    }),
    z.object({ type: z.literal('error'), error: problem }),
    z.object({ type: z.literal('closing'), resumeAfter: z.int().nullable() }),
    z.object({ type: z.literal('ping') }),
  ])
  .meta({ id: 'ChangeEvent' });

export const keptEvents = z
  .object({
    oldest: z.int().describe('0: none is kept.'),
    newest: z.int().describe('0: there was none.'),
  })
  .meta({ id: 'KeptEvents' });

const fault = outcome.extract(['failed', 'denied', 'lost']);
export const faultQuery = z
  .union([fault.transform((one) => [one]), z.array(fault).min(1).max(3)])
  .describe('Only what ended so; may be given more than once.');
const moment = z.iso.datetime({ offset: true }).max(64);
export const since = moment.exactOptional().describe('RFC 3339. Only what is of this moment or later.');
export const until = moment.exactOptional().describe('RFC 3339. Only what is of an earlier moment.');
export const historyEntry = z
  .object({
    kind: z.enum(['exec', 'session', 'process', 'copy']),
    execId: z.string().nullable(),
    taskId: z.string(),
    sandboxId: z.string().nullable(),
    backend: z.string().nullable(),
    owner: z.string(),
    token: z.string().nullable().describe('Token that asked for it; null: the command line or a program.'),
    command: z.array(z.string()).readonly().describe('Its first words, without secrets.'),
    startedAt: time,
    outcome,
    reason: z.string().nullable(),
    rule: z.string().nullable().describe('Rule that denied it.'),
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    durationMs: z.int().nullable(),
    bytes: z.int().nullable().describe('Of its output, or of the files of a copy.'),
  })
  .meta({ id: 'HistoryEntry' });

export const auditEvent = z
  .looseObject({ seq: z.int(), at: z.string(), type: z.string(), prev: z.string(), hash: z.string() })
  .meta({ id: 'AuditRecord' });
