import { z } from 'zod';
import { count, execId, insidePath, taskId, taskNames, text, time } from './common.ts';
import { lostSince, sandboxFields } from './sandboxes.ts';

const environment = z.record(z.string().max(256), z.string().max(128 * 1024));
const columns = z.int().min(1).max(10_000);

/** What every way to run something takes. */
const running = {
  execId: execId.exactOptional().describe('Idempotency key: a repeated one gives the same exec, and runs nothing.'),
  env: environment.exactOptional(),
  timeoutMs: z.int().min(1).nullable().exactOptional().describe('null: no deadline.'),
  outputLimitBytes: z.int().min(1).exactOptional(),
  waitForApproval: z
    .boolean()
    .exactOptional()
    .describe(
      'false: where an approval is needed, 403 with its id at once; repeat with the same execId, which must be given then. Default true.',
    ),
};

/** Flag of a caller that wants the result of its command, and may lose the connection. */
const collect = z
  .boolean()
  .exactOptional()
  .describe(
    'Streams no output: the last event is `result`, with the whole answer. The command goes on when the client leaves, who repeats the request with its execId.',
  );

const command = z
  .array(z.string().max(1024 * 1024))
  .min(1)
  .max(10_000)
  .transform(([program = '', ...args]): [string, ...string[]] => [program, ...args])
  .describe('A program and its arguments. Shell text is ["sh", "-c", TEXT].');

const user = z
  .string()
  .max(65)
  .exactOptional()
  .describe(
    'User of the sandbox that runs it: a name or a number, and after a colon a group. 501 where the backend has none.',
  );

const input = z.union([
  text,
  z
    .strictObject({ base64: z.base64().max(1536 * 1024) })
    .transform(({ base64 }): Uint8Array => Buffer.from(base64, 'base64')),
]);

export const execBody = z
  .strictObject({
    command,
    cwd: insidePath.exactOptional(),
    user,
    ...running,
    input: input
      .exactOptional()
      .describe('All of its stdin: a text, or base64 of bytes. Absent: none, or what `stdin` says.'),
    stdin: z
      .boolean()
      .exactOptional()
      .describe('Its stdin comes through the socket, or by POST to its `stdin`; only for streamed answers.'),
    tty: z.strictObject({ columns, rows: columns }).exactOptional(),
    rawOutput: z.boolean().exactOptional().describe('Output with its secrets. Needs the scope admin.'),
    collect,
  })
  .meta({ id: 'ExecRequest' });

const program = { language: z.enum(['python', 'node', 'bash']), text } as const;

export const codeBody = z.strictObject({ ...program, user, ...running, collect }).meta({ id: 'CodeRequest' });

/** The sandbox of a request that names it itself. */
const wanted = {
  ...sandboxFields,
  ...taskNames(taskId, 'Absent: a sandbox for this command alone, removed with its end.'),
  existing: z.boolean().exactOptional().describe('Take the sandbox that is there; `task` may then be its id.'),
} as const;

export const anyExecBody = z
  .strictObject({
    ...execBody.shape,
    ...wanted,
    command: command.exactOptional(),
    code: z.strictObject(program).exactOptional().describe('Instead of a command.'),
  })
  .refine(({ command: words, code }) => (words === undefined) !== (code === undefined), 'either command or code')
  .meta({ id: 'ExecAnywhere' });

export const processBody = z
  .strictObject({
    command,
    cwd: insidePath.exactOptional(),
    ...running,
    stdin: z.boolean().exactOptional().describe('Its input stays open until a request to its input has ended it.'),
  })
  .meta({ id: 'ProcessRequest' });

export const anyProcessBody = z.strictObject({ ...processBody.shape, ...wanted }).meta({ id: 'ProcessAnywhere' });

export const sessionBody = z
  .strictObject({ text: z.union([text, z.array(text).min(1).max(10_000)]), ...running, collect })
  .meta({ id: 'SessionText' });

export const where = z
  .object({
    backend: z.string(),
    taskId: z.string(),
    sandboxId: z.string(),
    host: z.string().nullable(),
    resource: z.string().nullable(),
    recreated: z.boolean(),
  })
  .meta({ id: 'Where' });

const stream = z.object({ bytes: count, truncated: z.boolean(), complete: z.boolean().nullable() });
const survivors = z.array(z.object({ pid: z.int(), command: z.string() })).nullable();

const reason = z.enum(['exited', 'signaled', 'timed-out', 'canceled', 'output-limit', 'out-of-memory', 'lost']);
const ended = {
  exitCode: z.int().nullable().describe('As a shell shows it, 128+n for signal n. null: not known.'),
  signal: z.string().nullable(),
  signalGuessed: z.boolean().describe('By the exit code: the program may have ended with it by itself.'),
} as const;

export const exit = z
  .object({
    reason,
    ...ended,
    durationMs: z.number(),
    stdout: stream,
    stderr: stream,
    backgroundOpen: z.boolean(),
    survivors: survivors.readonly(),
    redactions: z.int().nullable(),
    notes: z.array(z.string()).readonly(),
  })
  .meta({ id: 'Exit' });

const kept = z
  .object({
    text: z.string().describe('Head and tail; a line of its own says how many bytes are left out between them.'),
    bytes: count,
    truncated: z.boolean(),
    omittedBytes: count,
    cutAt: z.int().nullable().describe('Where the head ends in `text`. null: nothing is left out.'),
    cutTo: z.int().nullable().describe('Where the tail begins in `text`.'),
    containsControl: z.boolean().describe('It has control characters: do not print it to a terminal as it is.'),
  })
  .meta({ id: 'KeptStream' });

export const runResult = z
  .object({ execId: z.string(), where, lostSince, exit, stdout: kept, stderr: kept })
  .meta({ id: 'ExecResult' });

export const signalQuery = z.strictObject({
  signal: z
    .string()
    .regex(/^(?:SIG)?[A-Z0-9]{1,10}$/)
    .exactOptional(),
});

/** How a session came to a text, and what the text left of it. */
export const sessionStart = { restored: z.boolean(), lost: z.array(z.string()).readonly() } as const;
export const sessionEnd = { sessionEnded: z.boolean(), endStatus: z.int().nullable() } as const;

export const sessionResult = runResult.extend({ ...sessionStart, ...sessionEnd }).meta({ id: 'SessionResult' });

export const execView = z
  .object({
    id: z.string(),
    startedAt: time,
    command: z.array(z.string()).readonly(),
    user: z.string().exactOptional(),
    where,
    exit: exit.nullable().describe('null: it runs.'),
  })
  .meta({ id: 'Exec' });

export const process = z
  .object({
    id: z.string(),
    pid: z.int().nullable(),
    command: z.array(z.string()).readonly(),
    state: z.enum(['running', 'exited', 'lost']),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    durationMs: z.number().nullable(),
    reason: reason.nullable().describe('null: it runs.'),
    ...ended,
    supervised: z.boolean(),
    truncated: z.object({ stdout: z.boolean(), stderr: z.boolean() }),
    backgroundOpen: z.boolean(),
    inputOpen: z.boolean(),
  })
  .meta({ id: 'Process' });

export const taskProcess = process.extend({ taskId: z.string(), sandboxId: z.string() }).meta({ id: 'TaskProcess' });
export const listedProcess = taskProcess
  .extend({
    state: z
      .enum(['running', 'exited', 'lost', 'unreadable'])
      .describe('unreadable: the processes of this sandbox could not be read, and id is that of the sandbox.'),
    note: z.string().exactOptional().describe('Why the sandbox could not be read.'),
  })
  .meta({ id: 'ListedProcess' });
export const detached = z.object({ id: z.string(), started: z.boolean(), where }).meta({ id: 'Detached' });
export const killed = z.object({ process, survivors: survivors.readonly() }).meta({ id: 'Killed' });

export const session = z
  .object({
    name: z.string(),
    open: z.boolean(),
    shell: z.enum(['bash', 'sh']).nullable(),
    restored: z.boolean(),
    lost: z.array(z.string()).readonly(),
  })
  .meta({ id: 'Session' });
