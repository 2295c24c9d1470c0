/** `caisson.secrets`: no verb has a route. */
import type { SecretsApi } from '../admin/secrets-api.ts';
import type { Rows } from './row.ts';

const ofText = {
  takes: ['...'],
  owner: 'refused',
  none: 'it reads a text that the caller has: `caisson redact`, `caisson scan` and the library do it where that is',
} as const;
const ofHost = { takes: ['...'], owner: 'refused', none: 'it names files of the host' } as const;

export const secrets = {
  redactor: { ...ofText, takes: ['...?'], now: true },
  scan: ofText,
  approve: ofText,
  scanSkill: { ...ofHost, takes: ['directory'] },
  acceptSkill: ofHost,
} as const satisfies Rows<SecretsApi>;
