import type { Decision } from '../../service/api.ts';
import { hooks, policy } from '../../service/verbs/policy.ts';
import type { ClientPolicyApi } from '../types.ts';
import { CaissonError } from '../../errors.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

export function policyOf(wire: Wire): ClientPolicyApi {
  const checker: ClientPolicyApi['checker'] = ({ owner, directory, ...query }) => {
    if (owner !== undefined)
      throw new CaissonError('not_supported', 'the service checks by the rules of the owner of the token');
    if (directory !== undefined) throw new CaissonError('not_supported', 'the service knows no project of a client');
    const { method, path } = policy.checker;
    return Promise.resolve(async (command) => {
      const body = { ...query, commands: [command] };
      const answer = await wire.json({ method, path, body, repeatable: true });
      const { decisions } = shaped<{ readonly decisions: readonly unknown[] }>(answer, { decisions: 'list' });
      return shaped<Decision>(decisions[0], { verdict: 'text', tier: 'text', findings: 'list' });
    });
  };
  const byHand = { checker, hooks: made(wire, 'policy.hooks', { rows: hooks, byHand: {} }) };
  return made(wire, 'policy', { rows: policy, byHand });
}
