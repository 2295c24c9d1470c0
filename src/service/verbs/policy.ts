/** `caisson.policy`, and its hooks. */
import type { PolicyApi } from '../api.ts';
import { admin, read, type Rows } from './row.ts';

const hook = { tool: 'text', state: 'text' } as const;

export const policy = {
  checker: {
    ...read('POST', '/v1/policy/check', 'Tells what would be decided about commands, in their order. Nothing is run.'),
    takes: ['...'],
  },
  examples: {
    ...read('GET', '/v1/policy/examples', 'Tries every rule on its own examples.'),
    owner: 'same',
    gives: [{ rule: 'text' }],
  },
  ignored: {
    ...admin('GET', '/v1/policy/ignored', 'Lists rules that are written somewhere and have no effect.'),
    gives: [{ source: 'text', rule: 'text' }],
  },
  ready: { takes: [], owner: 'same', none: 'GET /readyz says it' },
} as const satisfies Rows<PolicyApi>;

export const hooks = {
  list: { ...admin('GET', '/v1/hooks', 'Lists the scripts that see a command before it runs.'), gives: [hook] },
  accept: {
    ...admin('POST', '/v1/hooks', 'Accepts such scripts as they are now; without names, all.'),
    takes: ['names'],
    gives: [hook],
  },
} as const satisfies Rows<PolicyApi['hooks']>;
