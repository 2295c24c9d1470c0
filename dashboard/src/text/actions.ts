/** What the page does, as a command line and as requests. Pure. */
import { addressPart as part } from './hostile.ts';
import type { Action } from './shell.ts';

const sandbox = (task: string): string => `/v1/sandboxes/${part(task)}`;

export const createAction = (task: string): Action => ({
  words: ['create', '--task', task],
  method: 'POST',
  paths: ['/v1/sandboxes'],
  body: { taskId: task },
});

export const startAction = (task: string): Action => ({
  words: ['start', task],
  method: 'POST',
  paths: [`${sandbox(task)}/start`],
});

export const stopAction = (tasks: readonly string[]): Action => ({
  words: ['stop', ...tasks],
  method: 'POST',
  paths: tasks.map((task) => `${sandbox(task)}/stop`),
});

export const removeAction = (tasks: readonly string[]): Action => ({
  words: ['rm', ...tasks],
  method: 'DELETE',
  paths: tasks.map(sandbox),
});

export const runAction = (task: string, text: string): Action => ({
  words: ['exec', task, '--', 'sh', '-c', text],
  method: 'POST',
  paths: [`${sandbox(task)}/execs`],
  body: { command: ['sh', '-c', text] },
});

export const logsAction = (execId: string): Action => ({
  words: ['logs', execId],
  method: 'GET',
  paths: [`/v1/execs/${part(execId)}`],
});

/** The command line has none for a command that a client waits for: there Ctrl-C does it. */
export const cancelAction = (execId: string): Action => ({
  words: null,
  method: 'DELETE',
  paths: [`/v1/execs/${part(execId)}`],
});

export const killAction = (processId: string): Action => ({
  words: ['kill', processId],
  method: 'DELETE',
  paths: [`/v1/processes/${part(processId)}`],
});

export const fileAction = (task: string, path: string): Action => ({
  words: ['cp', `${task}:${path}`, '.'],
  method: 'GET',
  paths: [`${sandbox(task)}/files?path=${part(path)}`],
});

export const allowAction = (task: string, host: string): Action => ({
  words: ['net', 'allow', task, host],
  method: 'PATCH',
  paths: [`${sandbox(task)}/network`],
  body: { allow: [host] },
});

interface Sought {
  readonly task?: string;
  readonly owner?: string;
  readonly since?: string;
  readonly until?: string;
  readonly outcomes?: readonly string[];
}

export function historyAction({ task, owner, since, until, outcomes = [] }: Sought): Action {
  const named = Object.entries({ owner, since, until }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const query = new URLSearchParams(Object.fromEntries(named));
  if (task !== undefined) query.set('task', task);
  for (const outcome of outcomes) query.append('outcome', outcome);
  const options = [...named.flatMap(([name, value]) => [`--${name}`, value]), ...outcomes.map((each) => `--${each}`)];
  return {
    words: ['history', ...options, ...(task === undefined ? [] : [task])],
    method: 'GET',
    paths: [`/v1/history${query.size === 0 ? '' : `?${query.toString()}`}`],
  };
}

/** The command line saves no rule: `always` is an answer of a page or a terminal. */
export function answerAction(id: string, choice: 'once' | 'session' | 'always' | 'deny'): Action {
  const words = {
    once: ['approvals', 'approve', id],
    session: ['approvals', 'approve', '--session', id],
    always: null,
    deny: ['approvals', 'deny', id],
  }[choice];
  return { words, method: 'POST', paths: [`/v1/approvals/${part(id)}`], body: { choice } };
}
