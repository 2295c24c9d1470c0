import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import type { Checker, Decision } from '../../service/api.ts';
import { route } from '../route.ts';
import {
  checkBody,
  decision,
  examples,
  hook,
  hooksBody,
  ignored,
  urlsBody,
  urlVerdict,
  verification,
} from '../schemas/admin.ts';
import { bare, listOf, queryCount } from '../schemas/common.ts';
import { auditEvent } from '../schemas/events.ts';
import { streamOf } from '../stream/exec.ts';

export const checkPolicy = route({
  ...bare,
  method: 'POST',
  path: '/v1/policy/check',
  scope: 'read',
  about: 'Tells what would be decided about commands, in their order. Nothing is run.',
  body: checkBody,
  answer: z.object({ decisions: z.array(decision).readonly() }),
  saysProject: true,
  run: async ({ api, body, options }) => {
    const { commands, ...query } = body;
    const directory = options.said?.directory;
    const check = await api.policy.checker({ ...query, ...(directory === undefined ? {} : { directory }) });
    return { decisions: await checkedInTurn(commands, check, options.signal) };
  },
});

const mostCheckMs = 30_000;

/** One command may take a good part of a second, and other requests are served between two of them. */
async function checkedInTurn(
  commands: readonly (string | readonly string[])[],
  check: Checker,
  signal: AbortSignal | undefined,
): Promise<readonly Decision[]> {
  const decisions: Decision[] = [];
  const startedMs = performance.now();
  for (const command of commands) {
    if (performance.now() - startedMs > mostCheckMs) throw tooSlow(commands.length);
    decisions.push(check(typeof command === 'string' ? command : words(command)));
    await setImmediate(undefined, { signal });
  }
  return decisions;
}

const tooSlow = (count: number): CaissonError =>
  new CaissonError('resource_exhausted', `to check ${count} commands takes longer than ${mostCheckMs / 1000} s`, {
    remedy: 'send fewer of them in one request',
  });

export const checkUrls = route({
  ...bare,
  method: 'POST',
  path: '/v1/network/check',
  scope: 'read',
  about: 'Tells whether URLs may be fetched, in their order. Nothing is looked up and nothing is connected to.',
  body: urlsBody,
  answer: z.object({ verdicts: z.array(urlVerdict).readonly() }),
  run: async ({ api, body }) => {
    const check = await api.network.checker();
    return { verdicts: body.urls.map((query) => ({ url: query.url, ...check(query) })) };
  },
});

const words = ([program = '', ...args]: readonly string[]): readonly [string, ...string[]] => [program, ...args];

export const policyExamples = route({
  ...bare,
  method: 'GET',
  path: '/v1/policy/examples',
  scope: 'read',
  about: 'Tries every rule on its own examples.',
  answer: listOf(examples),
  run: async ({ api }) => ({ items: await api.policy.examples() }),
});

export const ignoredRules = route({
  ...bare,
  method: 'GET',
  path: '/v1/policy/ignored',
  scope: 'admin',
  about: 'Lists rules that are written somewhere and have no effect.',
  answer: listOf(ignored),
  run: async ({ api }) => ({ items: await api.policy.ignored() }),
});

export const listHooks = route({
  ...bare,
  method: 'GET',
  path: '/v1/hooks',
  scope: 'admin',
  about: 'Lists the scripts that see a command before it runs.',
  answer: listOf(hook),
  run: async ({ api }) => ({ items: await api.policy.hooks.list() }),
});

export const acceptHooks = route({
  ...bare,
  method: 'POST',
  path: '/v1/hooks',
  scope: 'admin',
  about: 'Accepts such scripts as they are now; without names, all.',
  body: hooksBody,
  answer: listOf(hook),
  run: async ({ api, body }) => ({ items: await api.policy.hooks.accept(body.names) }),
});

export const tailAudit = route({
  ...bare,
  method: 'GET',
  path: '/v1/audit',
  scope: 'read',
  about: 'Streams the last records of what was decided and run for the owner; with follow, also those to come.',
  query: z.strictObject({ count: queryCount.exactOptional(), follow: z.enum(['true', 'false']).exactOptional() }),
  events: auditEvent,
  answer: z.undefined(),
  run: (call) => {
    const how = { count: Math.min(call.query.count ?? 20, 100_000), follow: call.query.follow === 'true' };
    return Promise.resolve(streamOf(call, (signal) => call.api.audit.tail(how, { signal })));
  },
});

export const verifyAudit = route({
  ...bare,
  method: 'GET',
  path: '/v1/audit/verification',
  scope: 'admin',
  about: 'Tells whether records were changed or removed.',
  answer: verification,
  run: ({ api }) => api.audit.verify(),
});
