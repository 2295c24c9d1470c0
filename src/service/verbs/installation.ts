/** `caisson.installation`. Figures are sums over all owners, and budgets name the owners that use the most. */
import type { InstallationApi } from '../installation.ts';
import { read, type Rows } from './row.ts';

export const installation = {
  status: {
    ...read(
      'GET',
      '/v1/status',
      'Shows whether all that is used works, and what a person should look at. For tokens of the operator.',
    ),
    owner: 'operator',
    gives: { level: 'text', concerns: 'list', version: 'text', backends: 'list', disk: 'object', audit: 'object' },
  },
  figures: { takes: [], owner: 'operator', none: 'GET /metrics has them' },
  budgets: {
    ...read(
      'GET',
      '/v1/budgets',
      'Lists the budgets of the service: what callers together and each owner may hold, what they hold, and what was refused. For tokens of the operator.',
    ),
    owner: 'operator',
    gives: [{ name: 'text', refused: 'object' }],
  },
  budget: { takes: ['name'], owner: 'same', now: true, none: 'a budget is of the process that holds it' },
  backup: { takes: ['directory'], owner: 'refused', none: 'it names files of the host' },
} as const satisfies Rows<InstallationApi>;
