/** Commands of one session: those that run on get a number, by which the model goes on with them. */
import { CaissonError } from '../../errors.ts';
import { given } from '../../lib/given.ts';
import { type Place, refusalOf, refusedCode } from '../place.ts';
import { LiveCommand } from './command.ts';
import { cut } from './printed.ts';
import type { ExecArgs, ExecResult, WriteStdinArgs } from './types.ts';

const defaultYieldMs = 10_000;
const defaultPollMs = 250;
const terminal = { columns: 120, rows: 40 } as const;
const interrupt = '\u0003';

interface Where {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export class Commands {
  readonly #place: Place;
  readonly #live = new Map<number, LiveCommand>();
  #next = 1;

  constructor(place: Place) {
    this.#place = place;
  }

  async start({ cmd, shell, tty = false, yieldTimeMs, maxOutputTokens }: ExecArgs, where: Where): Promise<ExecResult> {
    const startedAt = performance.now();
    try {
      const command = new LiveCommand(await this.#place.start(cmd, { ...where, ...shellOf(shell), ...inputOf(tty) }));
      await command.wait(yieldTimeMs ?? defaultYieldMs);
      return this.#look(command, { startedAt, maxOutputTokens, number: null });
    } catch (error) {
      return resultOf(refusalOf(error), { startedAt, exitCode: refusedCode });
    }
  }

  async write({ sessionId, chars = '', yieldTimeMs, maxOutputTokens }: WriteStdinArgs): Promise<ExecResult> {
    const startedAt = performance.now();
    const command = this.#live.get(sessionId);
    if (command === undefined)
      return resultOf(`write_stdin failed: session not found: ${sessionId}`, { startedAt, exitCode: 1 });
    if (!command.takesInput && chars.includes(interrupt)) await command.cancel();
    else if (!command.takesInput && chars !== '')
      return resultOf('write_stdin failed: stdin is closed; start the command with tty=true to keep it open', {
        startedAt,
        exitCode: 1,
      });
    await command.write(chars);
    await command.wait(yieldTimeMs ?? defaultPollMs);
    return this.#look(command, { startedAt, maxOutputTokens, number: sessionId });
  }

  /** Kills what runs, with all that it started. */
  async end(): Promise<void> {
    const live = [...this.#live.values()];
    this.#live.clear();
    await Promise.all(live.map(async (command) => await command.cancel()));
  }

  #look(
    command: LiveCommand,
    look: { readonly startedAt: number; readonly maxOutputTokens: number | undefined; readonly number: number | null },
  ): ExecResult {
    const { exitCode } = command;
    const { output, stdout, stderr } = command.take();
    const { text, tokens } = cut(output, look.maxOutputTokens);
    if (exitCode !== null && look.number !== null) this.#live.delete(look.number);
    return {
      ...resultOf(text, { startedAt: look.startedAt, exitCode }),
      stdout,
      stderr,
      ...(exitCode === null ? { sessionId: look.number ?? this.#keep(command) } : {}),
      ...given({ originalTokenCount: tokens }),
    };
  }

  #keep(command: LiveCommand): number {
    const number = this.#next;
    this.#next += 1;
    this.#live.set(number, command);
    return number;
  }
}

/** Without a terminal stdin is closed, so that a program that reads it ends. */
const inputOf = (tty: boolean): object => (tty ? { stdin: true, tty: terminal } : {});

function shellOf(shell: string | undefined): { readonly shell?: string } {
  if (shell === undefined || /^[\w./-]+$/.test(shell)) return given({ shell });
  throw new CaissonError('invalid_argument', `${JSON.stringify(shell)} is not the name of a shell`);
}

const resultOf = (
  output: string,
  { startedAt, exitCode }: { readonly startedAt: number; readonly exitCode: number | null },
): ExecResult => ({
  output,
  stdout: output,
  stderr: '',
  wallTimeSeconds: (performance.now() - startedAt) / 1000,
  ...(exitCode === null ? {} : { exitCode }),
});
