import { shellCode, type SessionResult } from '../../api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { readEnv } from '../env.ts';
import { explain } from '../explain.ts';
import { commandOptions } from '../option.ts';
import { sessionOf, sessionOperands } from '../session.ts';
import { UsageError } from '../usage.ts';
import { readDuration } from '../values.ts';

export const sessionRun = defineCommand({
  name: 'session run',
  summary: 'Run a text in a session and show what it writes',
  about: `What stands after -- is shell text: directory, variables, functions, aliases and options stay
for the next call; variables given by -e do not. The session is opened when it is not there.`,
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
    const env = await readEnv(given.list('env'), given.list('env-file'), context.world);
    const input = {
      ...sessionOf(given.operands),
      text,
      env,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...idOf(given.text('exec-id')),
    };
    const result = await (await context.service()).sessions.run(input, context.options);
    await show(result, timeoutMs ?? null, context);
    return result.exit.reason === 'canceled'
      ? (context.interrupted() ?? shellCode(result.exit))
      : shellCode(result.exit);
  },
});

function idOf(execId: string | undefined): { readonly execId?: string } {
  return execId === undefined ? {} : { execId };
}

async function show(result: SessionResult, timeoutMs: number | null, context: Context): Promise<void> {
  if (context.json) return context.printJson(result);
  await context.print(result.stdout.text);
  context.world.stderr.write(result.stderr.text);
  for (const { name, omittedBytes } of [
    { name: 'stdout', ...result.stdout },
    { name: 'stderr', ...result.stderr },
  ])
    if (omittedBytes > 0)
      context.notice(`${omittedBytes} bytes of ${name} are left out; caisson logs ${result.execId} has more`);
  if (result.lost.length > 0) context.notice(`taken up from its kept state, without ${result.lost.join(' and ')}`);
  if (result.sessionEnded)
    context.notice('the shell of the session has ended; the next call takes up the state before this one');
  for (const line of explain(result.exit, timeoutMs)) context.notice(line);
}
