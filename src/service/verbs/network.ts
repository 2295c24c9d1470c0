/** `caisson.network`. */
import type { NetworkApi } from '../network-api.ts';
import { approve, read, type Rows } from './row.ts';

const at = '/v1/sandboxes/{id}/network';
const inTask = { takes: ['task'], owner: 'place' } as const;
const rules = {
  taskId: 'text',
  sandboxId: 'text',
  mode: 'text',
  revision: 'number',
  configured: 'object',
  allow: 'list',
  deny: 'list',
  once: 'list',
} as const;

export const network = {
  checker: {
    ...read(
      'POST',
      '/v1/network/check',
      'Tells whether URLs may be fetched, in their order. Nothing is looked up and nothing is connected to.',
    ),
    owner: 'same',
  },
  rules: {
    ...read('GET', at, 'Shows what a sandbox with a filtered network may reach.'),
    ...inTask,
    gives: rules,
  },
  change: {
    ...approve(
      'PATCH',
      at,
      'Allows and denies hosts for this sandbox alone. What is denied now is cut. Only the operator allows.',
    ),
    takes: ['task', '...'],
    owner: 'place',
    repeatable: true,
    gives: rules,
  },
  log: {
    ...read(
      'GET',
      `${at}/log`,
      'Streams the connections of a sandbox with a filtered network; with follow, also those to come.',
    ),
    takes: ['task', '...?'],
  },
  suggest: {
    ...read('GET', `${at}/suggestion`, 'Proposes rules that would allow what a sandbox has asked for.'),
    ...inTask,
    gives: { taskId: 'text', seen: 'number', presets: 'list', allow: 'list' },
  },
} as const satisfies Rows<NetworkApi>;
