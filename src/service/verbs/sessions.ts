/** `caisson.sessions`. */
import type { SessionsApi } from '../api.ts';
import { read, type Rows, run } from './row.ts';

const all = '/v1/sandboxes/{id}/sessions';
const named = {
  takes: ['...'],
  keys: { task: true, taskId: true, name: true },
  owner: 'place',
  repeatable: true,
} as const;
const session = { name: 'text', open: 'flag', restored: 'flag', lost: 'list' } as const;
const text = {
  ...run('POST', `${all}/{name}/execs`, 'Runs a text in a session. Answers as execs do.'),
  takes: ['...'],
  keys: { task: true, taskId: true, name: true, text: true, execId: true, env: true, timeoutMs: true },
} as const;

export const sessions = {
  open: {
    ...run('POST', all, 'Opens a shell that keeps its state from one text to the next.'),
    ...named,
    gives: session,
  },
  exec: text,
  run: text,
  close: {
    ...run('DELETE', `${all}/{name}`, 'Ends the shell of a session and forgets its state.'),
    ...named,
    gives: null,
  },
  list: {
    ...read('GET', all, 'Lists the sessions of a sandbox.'),
    takes: ['task'],
    owner: 'place',
    gives: [session],
  },
} as const satisfies Rows<SessionsApi>;
