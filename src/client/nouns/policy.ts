import type { Decision, HookView, RuleExamples } from '../../service/api.ts';
import type { ClientPolicyApi } from '../types.ts';
import { CaissonError } from '../../errors.ts';
import { none } from '../wire/none.ts';
import { listed, shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';

export function policyOf(wire: Wire): ClientPolicyApi {
  return {
    checker: ({ owner, directory, ...query }) => {
      if (owner !== undefined)
        throw new CaissonError('not_supported', 'the service checks by the rules of the owner of the token');
      if (directory !== undefined) throw new CaissonError('not_supported', 'the service knows no project of a client');
      const path = '/v1/policy/check';
      return Promise.resolve(async (command) => {
        const body = { ...query, commands: [command] };
        const answer = await wire.json({ method: 'POST', path, body, repeatable: true });
        const { decisions } = shaped<{ readonly decisions: readonly unknown[] }>(answer, { decisions: 'list' });
        return shaped<Decision>(decisions[0], { verdict: 'text', tier: 'text', findings: 'list' });
      });
    },
    ready: none('policy.ready', 'GET /readyz says it'),
    examples: async () =>
      listed<RuleExamples>(await wire.json({ method: 'GET', path: '/v1/policy/examples' }), { rule: 'text' }),
    ignored: async () =>
      listed<{ readonly source: string; readonly rule: string }>(
        await wire.json({ method: 'GET', path: '/v1/policy/ignored' }),
        {
          ...{ source: 'text', rule: 'text' },
        },
      ),
    hooks: {
      list: async () =>
        listed<HookView>(await wire.json({ method: 'GET', path: '/v1/hooks' }), { tool: 'text', state: 'text' }),
      accept: async (names) =>
        listed<HookView>(await wire.json({ method: 'POST', path: '/v1/hooks', body: { names } }), {
          tool: 'text',
          state: 'text',
        }),
    },
  };
}
