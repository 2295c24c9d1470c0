/** Runs one command for the caller and tells how it ended. */
import { shellCode, type CodeInput, type ExecInput, type SandboxRequest, type SandboxView } from '../service/api.ts';
import type { Context } from './context.ts';
import { describeDegraded, explain } from './explain.ts';
import { passThrough } from './stream.ts';
import { sizeOf } from './screen.ts';
import { isTerminal } from './terminal.ts';
import { UsageError } from './usage.ts';
import type { CommandRunning } from './world.ts';

export type ExecRequest = SandboxRequest & ExecInput;
export type CodeRequest = SandboxRequest & CodeInput;

export interface How {
  /** Pass standard input on. */
  readonly interactive: boolean;
  readonly tty: boolean;
}

/** Text of the progress line while a sandbox is made or started. */
export const preparing = 'preparing the sandbox';

/** Resolves to the exit code that a shell would show. */
export async function execute(request: ExecRequest | CodeRequest, how: How, context: Context): Promise<number> {
  if (context.json) return collect(request, how, context);
  if (how.tty && how.interactive && !isTerminal(context.world))
    throw new UsageError('-it needs a terminal as input and output', { remedy: 'leave out -t to pass a pipe on' });
  const service = await context.service();
  // Programs that drive a command in a sandbox that is there get the bytes of the command alone.
  if (request.existing !== true) context.showWaiting(preparing);
  const running = await service.exec(
    'code' in request ? request : { ...request, ...streamsOf(how, context) },
    context.options,
  );
  const { interactive } = how;
  return await show(running, { timeoutMs: request.timeoutMs ?? null, interactive }, context);
}

export interface Shown {
  /** What was asked for, when it is known. */
  readonly timeoutMs: number | null;
  /** Pass standard input on, and the keys of a terminal as they are. */
  readonly interactive: boolean;
}

export async function show(
  running: CommandRunning,
  { timeoutMs, interactive }: Shown,
  context: Context,
): Promise<number> {
  tellPlace(running, context);
  context.clearStatus();
  const exit = await passThrough(running, context, { interactive });
  const interrupted = exit.reason === 'canceled' ? context.interrupted() : null;
  const lines = explain(exit, timeoutMs);
  // The user who interrupted knows why it ended, but not which processes are still there.
  for (const line of interrupted === null ? lines : lines.slice(1)) context.notice(line);
  if (exit.reason === 'lost') context.notice(`what is recorded of it: caisson logs ${running.id}`);
  return interrupted ?? shellCode(exit);
}

async function collect(request: ExecRequest | CodeRequest, how: How, context: Context): Promise<number> {
  if (how.tty) throw new UsageError('-t does not go with -o json, which collects the output');
  const service = await context.service();
  const input = how.interactive ? { input: context.world.stdin } : {};
  const result = await service.run('code' in request ? request : { ...request, ...input }, context.options);
  tellLoss(result, context);
  await context.printJson(result);
  return result.exit.reason === 'canceled' ? (context.interrupted() ?? shellCode(result.exit)) : shellCode(result.exit);
}

function streamsOf(how: How, { world }: Context): Pick<ExecInput, 'stdin' | 'tty'> {
  return how.tty ? { stdin: true, tty: sizeOf(world) } : how.interactive ? { stdin: true } : {};
}

/** What is different from what the caller may believe: a place made anew, and, when it was made just now, what it lacks. */
function tellPlace(running: CommandRunning, context: Context): void {
  tellLoss(running, context);
  if (context.quiet) return;
  for (const name of running.unsetVariables) context.notice(`a skill wants ${name}, which is not set`);
  for (const path of running.missingFiles) context.notice(`the credential file ${path} is declared and not there`);
  if (running.how === 'recreated')
    context.say(
      'the sandbox had vanished and was made anew: its processes are gone, and files outside persistent directories too',
    );
  if (running.how === 'created' || running.how === 'recreated') tellDegraded(running, context);
}

/** Also with -q and -o json: it is not said again. */
export function tellLoss({ lostSince }: Pick<CommandRunning, 'lostSince'>, context: Context): void {
  if (lostSince !== null)
    context.say(
      `warning: the service had ended the sandbox, and its files are those of ${lostSince}: what was written later is gone`,
    );
}

/** Only what was asked for: `init`, `doctor` and `inspect` show what the defaults want and the place does not have. */
export function tellDegraded({ degraded }: Pick<SandboxView, 'degraded'>, context: Context): void {
  for (const line of describeDegraded(degraded.filter(({ asked }) => asked))) context.notice(`missing here: ${line}`);
}
