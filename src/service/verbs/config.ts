/** `caisson.config`. */
import type { ConfigView } from '../configuration.ts';
import { admin, read, type Rows } from './row.ts';

export const config = {
  show: {
    ...admin('GET', '/v1/config', 'Shows the configuration in force, with the origin of each value.'),
    takes: ['task'],
    gives: [{ key: 'text', origin: 'text' }],
  },
  reload: {
    ...admin(
      'POST',
      '/v1/config/reload',
      'Reads the configuration file again; lists what holds now, and what needs a restart.',
    ),
    gives: { changed: 'list', needsRestart: 'list' },
  },
  pending: {
    ...admin(
      'GET',
      '/v1/config/pending',
      'Lists what the configuration file says since it was read: what of it holds already, and what a reload would loosen.',
    ),
    gives: { holds: 'list', loosens: 'list', reload: 'list', restart: 'list' },
  },
  set: {
    ...admin(
      'PUT',
      '/v1/config',
      'Sets one key in the configuration file. Rules that ask or deny, and hosts that are denied, hold at once; all else after a reload, or when the service is started again.',
    ),
    takes: ['key', 'text'],
    gives: null,
  },
  create: {
    takes: ['text'],
    owner: 'refused',
    none: 'the first file of a state directory is written on its host',
  },
  schema: {
    ...read('GET', '/v1/config/schema', 'Gives the JSON Schema of the configuration file.'),
    owner: 'same',
    gives: {},
  },
} as const satisfies Rows<ConfigView>;
