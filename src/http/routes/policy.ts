import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { turn } from '../../lib/turns.ts';
import type { Budget, Checker, Decision } from '../../service/api.ts';
import { audit } from '../../service/verbs/records.ts';
import { hooks, policy } from '../../service/verbs/policy.ts';
import { outline, served } from '../made.ts';
import { route } from '../route.ts';
import { checkBody, decision, examples, hook, hooksBody, ignored, verification } from '../schemas/admin.ts';
import { bare, listOf, ownerQuery, queryCount, recordsOf } from '../schemas/common.ts';
import { auditEvent, since, until } from '../schemas/events.ts';
import { streamOf } from '../stream/exec.ts';
import { given } from '../../lib/given.ts';

const checkPolicy = route({
  ...bare,
  ...outline(policy.checker),
  body: checkBody,
  answer: z.object({ decisions: z.array(decision).readonly() }),
  saysProject: true,
  run: async ({ api, body, options, service, token: { owner } }) => {
    const { commands, ...query } = body;
    const directory = options.said?.directory;
    const check = await api.policy.checker({ ...query, ...given({ directory }) });
    const budget = service.api.installation.budget('checks');
    return { decisions: await checkedInTurn(commands, { check, budget, owner, signal: options.signal }) };
  },
});

const maxCheckMs = 30_000;
/** A decision that takes longer is followed by so many times its time, in which the process serves others. */
const longMs = 25;
const restTimes = 8;

interface Checking {
  readonly check: Checker;
  readonly budget: Budget;
  readonly owner: string;
  readonly signal: AbortSignal | undefined;
}

/** One command may take a good part of a second: of an owner one is checked at a time, whichever requests have brought them. */
async function checkedInTurn(
  commands: readonly (string | readonly string[])[],
  { check, budget, owner, signal }: Checking,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  const startedMs = performance.now();
  for (const command of commands) {
    if (performance.now() - startedMs > maxCheckMs) throw checkTimeoutError(commands.length);
    const share = await budget.wait(owner, { signal });
    try {
      await turn();
      const { ms, value } = timed(() => check(command));
      decisions.push(value);
      if (ms > longMs) await sleep(restTimes * ms, undefined, { signal });
    } finally {
      share.free();
    }
  }
  return decisions;
}

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const startedMs = performance.now();
  const value = work();
  return { ms: performance.now() - startedMs, value };
}

const checkTimeoutError = (count: number): CaissonError =>
  new CaissonError('resource_exhausted', `to check ${count} commands takes longer than ${maxCheckMs / 1000} s`, {
    remedy: 'send fewer of them in one request',
  });

export const policyRoutes = served('policy', policy, {
  checker: [checkPolicy],
  examples: { answer: listOf(examples) },
  ignored: { answer: listOf(ignored) },
});

export const hookRoutes = served('policy.hooks', hooks, {
  list: { answer: listOf(hook) },
  accept: { body: hooksBody, answer: listOf(hook) },
});

const tailAudit = route({
  ...bare,
  ...outline(audit.tail),
  query: z.strictObject({
    count: queryCount.exactOptional(),
    follow: z.enum(['true', 'false']).exactOptional(),
    task: recordsOf.exactOptional(),
    owner: ownerQuery,
    verdict: z.enum(['allow', 'ask', 'deny']).exactOptional().describe('Only decisions with this verdict.'),
    rule: z.string().min(1).max(400).exactOptional().describe('Only decisions by a rule that holds this text.'),
    since,
    until,
  }),
  events: auditEvent,
  answer: z.undefined(),
  run: (call) => {
    const { count = 20, follow, ...filter } = call.query;
    const how = { ...filter, count: Math.min(count, 100_000), follow: follow === 'true' };
    return Promise.resolve(streamOf(call, (signal) => call.api.audit.tail(how, { signal })));
  },
});

export const auditRoutes = served('audit', audit, { tail: [tailAudit], verify: { answer: verification } });
