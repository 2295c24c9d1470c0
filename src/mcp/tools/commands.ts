/** Tools that run something. */
import { z } from 'zod';
import { CaissonError } from '../../errors.ts';
import { admitted } from '../asking/admitted.ts';
import { type Output, Reply } from '../reply.ts';
import { tool } from '../tool.ts';
import { outcomeOf, stillRunning } from './run-result.ts';
import { env, newTask, path, session, task, text, timeoutMs, user, wantedExecId } from './schemas.ts';
import { given } from '../../lib/given.ts';

const running = {
  scope: 'run',
  hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
} as const;

export const runCommand = tool({
  ...running,
  name: 'run_command',
  title: 'Run a command',
  description:
    'Runs shell text in the sandbox of a task, which is made if it is not there. Any exit code is a result. After 45 seconds it answers with reason "running" and the command goes on: read_output continues. Start servers and long jobs with background: true.',
  input: z.strictObject({
    task,
    command: text.min(1).describe('Shell text, for sh -c; in a session for its shell.'),
    session: session.optional(),
    cwd: path.optional(),
    user,
    env,
    timeout_ms: timeoutMs,
    background: z.boolean().optional().describe('Start it and answer at once; it outlives this connection.'),
    exec_id: wantedExecId,
  }),
  run: async (call, args) => {
    checkUsed(args);
    if (args.session !== undefined) return await inSession(call, { ...args, session: args.session });
    const { api } = call.parts;
    const request = {
      ...taskOf(args.task),
      command: ['sh', '-c', args.command] as const,
      ...given({ cwd: args.cwd }),
      ...commonOf(args),
    };
    if (args.background === true) {
      const process = await admitted(call, args.exec_id, ({ execId, options }) =>
        api.processes.start({ ...request, execId }, options),
      );
      if (process instanceof Reply) return process;
      return stillRunning(process.execId, process.value?.where ?? null);
    }
    const run = await admitted(call, args.exec_id, ({ execId, options }) =>
      api.execs.start({ ...request, ...given({ user: args.user }), execId }, options),
    );
    return run instanceof Reply ? run : await outcomeOf(call, run);
  },
});

function checkUsed(args: Pick<SessionArgs, 'background' | 'user'> & { readonly session?: string | undefined }): void {
  if (args.user === undefined || (args.session === undefined && args.background !== true)) return;
  throw new CaissonError('invalid_argument', 'sessions and what runs in the background have the user of the sandbox', {
    remedy: 'leave out user, or run it without session and background',
  });
}

type Call = Parameters<typeof outcomeOf>[0];

interface SessionArgs {
  readonly task: string;
  readonly session: string;
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly user?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly timeout_ms?: number | undefined;
  readonly background?: boolean | undefined;
  readonly exec_id?: string | undefined;
}

/** Calls of one session wait for each other. */
async function inSession(call: Call, args: SessionArgs): Promise<Output | Reply> {
  if (args.background === true || args.cwd !== undefined)
    throw new CaissonError('invalid_argument', 'a session has its own directory, and nothing in the background', {
      remedy: 'leave out session, or use cd in the command',
    });
  const { api } = call.parts;
  const request = { taskId: args.task, name: args.session, text: args.command, ...commonOf(args) };
  const run = await admitted(call, args.exec_id, ({ execId, options }) =>
    api.sessions.exec({ ...request, execId }, options),
  );
  return run instanceof Reply ? run : await outcomeOf(call, run);
}

export const runCode = tool({
  ...running,
  name: 'run_code',
  title: 'Run a program',
  description:
    'Runs a program from a fresh directory that is removed afterwards. Secrets of the configuration are not in its environment. Answers as run_command does.',
  input: z.strictObject({
    task: newTask,
    language: z.enum(['python', 'node', 'bash']),
    code: text,
    user,
    timeout_ms: timeoutMs,
  }),
  run: async (call, args) => {
    const { api } = call.parts;
    const request = {
      taskId: args.task,
      code: { language: args.language, text: args.code },
      ...given({ user: args.user }),
      ...commonOf(args),
    };
    const run = await admitted(call, undefined, ({ execId, options }) =>
      api.execs.start({ ...request, execId }, options),
    );
    return run instanceof Reply ? run : await outcomeOf(call, run);
  },
});

/** A sandbox id names one that is there. */
const taskOf = (name: string) => ({ taskId: name, ...(name.startsWith('sbx_') ? { existing: true } : {}) });

function commonOf(args: { readonly env?: SessionArgs['env']; readonly timeout_ms?: number | undefined }) {
  return {
    ...given({ env: args.env, timeoutMs: args.timeout_ms }),
  };
}
