/** `caisson.execs`. */
import type { SandboxRequest } from '../../plan/types.ts';
import type { ExecsApi } from '../api.ts';
import type { CodeInput, ExecInput, RunInput } from '../types.ts';
import { type Keys, read, type Rows, run } from './row.ts';
import { sandboxes } from './sandboxes.ts';

const any = {
  ...sandboxes.create.keys,
  execId: true,
  env: true,
  skills: true,
  rawOutput: true,
  timeoutMs: true,
  outputLimitBytes: true,
} as const;

/** Keys of a request with a command, also of one that is detached. */
export const commandKeys = {
  ...any,
  command: true,
  cwd: true,
  stdin: true,
  input: true,
  tty: { columns: true, rows: true },
} as const satisfies Keys<SandboxRequest & Omit<ExecInput | RunInput, 'user'>>;

/** Keys of a request with a command whose end is waited for. */
export const execKeys = { ...commandKeys, user: true } as const satisfies Keys<SandboxRequest & (ExecInput | RunInput)>;

/** Keys of a request with a program. */
export const codeKeys = { ...any, user: true, code: { language: true, text: true } } as const satisfies Keys<
  SandboxRequest & CodeInput
>;

const byId = '/v1/execs/{execId}';
const asInSandbox = 'As the route of its sandbox does.';
const start = {
  ...run(
    'POST',
    '/v1/execs',
    'Runs a command or a program in the sandbox of a task, which is made where it is not there. Answers as execs of a sandbox do.',
  ),
  takes: ['...'],
  keys: { ...execKeys, ...codeKeys },
} as const;

export const execs = {
  start,
  run: start,
  list: {
    ...read('GET', '/v1/execs', 'Lists execs on record, newest first.'),
    takes: ['...?'],
    keys: { limit: true, cursor: true, task: true, owner: true, sandboxes: true },
    brief: true,
  },
  get: {
    ...read('GET', byId, asInSandbox),
    takes: ['execId'],
    gives: {
      id: 'text',
      startedAt: 'text',
      command: 'list',
      exit: 'object?',
      where: { backend: 'text', taskId: 'text', sandboxId: 'text' },
    },
  },
  cancel: {
    ...run('DELETE', byId, 'Kills an exec with all that it started. Does nothing to one that has ended.'),
    takes: ['execId'],
    brief: true,
    repeatable: true,
    gives: null,
  },
  logs: {
    ...read('GET', byId, asInSandbox),
    takes: ['id', '...?'],
    keys: { after: true, follow: true, tailBytes: true },
  },
} as const satisfies Rows<ExecsApi>;
