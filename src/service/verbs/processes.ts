/** `caisson.processes`. */
import type { ProcessesApi } from '../api.ts';
import { commandKeys } from './execs.ts';
import { read, type Rows, run } from './row.ts';

const byId = '/v1/processes/{processId}';
const process = { id: 'text', command: 'list', state: 'text', truncated: 'object' } as const;

export const processes = {
  start: {
    ...run(
      'POST',
      '/v1/processes',
      'Starts a command that outlives its request and the service, in the sandbox of a task, which is made where it is not there.',
    ),
    takes: ['...'],
    keys: commandKeys,
  },
  list: {
    ...read('GET', '/v1/processes', 'Lists detached processes of all sandboxes that run.'),
    takes: ['...?'],
    keys: { task: true, owner: true },
    brief: true,
  },
  get: {
    ...read('GET', byId, 'As the route of its sandbox does.'),
    takes: ['processId'],
    gives: { ...process, taskId: 'text', sandboxId: 'text' },
  },
  input: {
    ...run(
      'PUT',
      `${byId}/input`,
      'Passes bytes on to a detached process that was started with stdin, and then end of file.',
    ),
    takes: ['processId', 'source'],
  },
  wait: {
    ...read('GET', `${byId}/wait`, 'Answers when a detached process has ended.'),
    takes: ['processId'],
    gives: process,
  },
  kill: {
    ...run(
      'DELETE',
      byId,
      'Ends a detached process with all that it started; with a signal other than KILL, only sends that.',
    ),
    takes: ['processId', 'signal'],
    brief: true,
    gives: { process: 'object', survivors: 'list?' },
  },
} as const satisfies Rows<ProcessesApi>;
