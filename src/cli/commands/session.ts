import { type SessionInput, shellCode } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { readEnv } from '../env.ts';
import { show, tellLoss } from '../execute.ts';
import { commandOptions } from '../option.ts';
import { sessionOf, sessionOperands, withoutNotice } from '../session.ts';
import { UsageError } from '../usage.ts';
import { readDuration } from '../values.ts';

export const sessionOpen = defineCommand({
  name: 'session open',
  summary: 'Open a shell that keeps its state between commands',
  about: `bash where the sandbox has it, else sh. Not needed before session run, which opens it by itself.
Its state is kept in the sandbox, so the next call takes it up, also from another process.`,
  operands: sessionOperands,
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['see which shell it gets', 'session open build dev']],
  run: async ({ operands }, context) => {
    const session = await (await context.service()).sessions.open(sessionOf(operands), context.options);
    if (session.lost.length > 0) context.notice(withoutNotice(session.lost));
    if (context.json) await context.printJson(session);
    else await context.print(`${session.name} ${session.shell ?? '-'}${session.restored ? ' restored' : ''}\n`);
    return 0;
  },
});

export const sessionRun = defineCommand({
  name: 'session run',
  summary: 'Run a text in a session and show what it writes',
  about: `What stands after -- is shell text: directory, variables, functions, aliases, options and
positional parameters stay for the next call; variables given by -e do not. What could not be kept
while no process held the shell is reported. The session is opened when it is not there.
Output is streamed; with -o json it is printed at the end. A shell function named command is removed.`,
  operands: sessionOperands,
  runs: true,
  exitsAsCommand: true,
  options: {
    env: commandOptions.env,
    'env-file': commandOptions['env-file'],
    'exec-id': commandOptions['exec-id'],
    timeout: commandOptions.timeout,
    yolo: commandOptions.yolo,
    allow: commandOptions.allow,
    ask: commandOptions.ask,
    deny: commandOptions.deny,
  },
  examples: [
    ['go somewhere, and stay there', 'session run build dev -- cd /workspace/app'],
    ['several words of shell in quotes', "session run build dev -- 'export MODE=test; make | tail -3'"],
  ],
  run: async (given, context) => {
    const text = given.command.join(' ');
    if (text === '') throw new UsageError('there is no text after --');
    const timeout = given.text('timeout');
    const timeoutMs = timeout === undefined ? undefined : readDuration('--timeout', timeout);
    const env = readEnv(given.list('env'), given.list('env-file'), context.world);
    const input = {
      ...sessionOf(given.operands),
      text,
      env,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...idOf(given.text('exec-id')),
    };
    return await (context.json ? collected(input, context) : shown(input, context));
  },
});

function idOf(execId: string | undefined): { readonly execId?: string } {
  return execId === undefined ? {} : { execId };
}

async function collected(input: SessionInput, context: Context): Promise<number> {
  const result = await (await context.service()).sessions.run(input, context.options);
  tellLoss(result, context);
  await context.printJson(result);
  return result.exit.reason === 'canceled' ? (context.interrupted() ?? shellCode(result.exit)) : shellCode(result.exit);
}

async function shown(input: SessionInput, context: Context): Promise<number> {
  const running = await (await context.service()).sessions.exec(input, context.options);
  tellLoss(running, context);
  if (running.lost.length > 0) context.notice(withoutNotice(running.lost));
  const code = await show(running, { timeoutMs: input.timeoutMs ?? null, interactive: false }, context);
  const { sessionEnded } = await running.session;
  if (sessionEnded)
    context.notice('the shell of the session has ended; the next call takes up the state before this one');
  return code;
}

export const sessionLs = defineCommand({
  name: 'session ls',
  summary: 'List the sessions of a task',
  operands: [{ name: 'TASK', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['what state is kept', 'session ls build']],
  run: async ({ operands: [taskId = ''] }, context) => {
    const sessions = await (await context.service()).sessions.list(taskId, context.options);
    if (context.json) await context.printJson(sessions);
    else if (context.quiet) await context.print(sessions.map(({ name }) => `${name}\n`).join(''));
    else
      await context.printTable(
        ['NAME', 'STATE'],
        sessions.map(({ name, open }) => [name, open ? 'open' : 'kept']),
      );
    return 0;
  },
});

export const sessionClose = defineCommand({
  name: 'session close',
  summary: 'End a session and forget its state',
  operands: sessionOperands,
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['forget it', 'session close build dev']],
  run: async ({ operands }, context) => {
    const session = sessionOf(operands);
    await (await context.service()).sessions.close(session, context.options);
    if (context.json) await context.printJson({ name: session.name });
    return 0;
  },
});
