import { randomBytes } from 'node:crypto';
import type { Process, Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import type { Survivor } from '../../values/exit.ts';
import { carried } from '../../inside/carried.ts';
import { execVariable } from '../../values/exec-variable.ts';
import { killScript } from './script.ts';

export type KillMode = 'grep' | 'plain';
export type KillCommand = 'term' | 'kill' | 'scan' | 'list';

const answerMs = 5000;
const answerBytes = 64 * 1024;

export interface Answer {
  /** Members of the tree that were alive after the command. */
  readonly count: number;
  /** The lines before the count: only of `list`. */
  readonly lines: readonly string[];
}

/**
 * The kill script, running in the sandbox of the tree it is to kill. Each question carries a nonce, so that nothing a
 * command writes into the script's streams beforehand can pass for an answer.
 */
export class KillConversation {
  readonly #process: Process;
  readonly #failed: Promise<never>;
  #text = '';
  #onText: () => void = () => {};

  private constructor(process: Process) {
    this.#process = process;
    process.stdout.on('data', (chunk: Buffer) => {
      if (this.#text.length < answerBytes) this.#text += chunk.toString('utf8');
      this.#onText();
    });
    process.stderr.resume();
    // The end of the process is what tells of a failure; a broken stream of it ends in an answer that is too late.
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream?.on('error', () => {});
    this.#failed = process.wait().then((end) => {
      throw new CaissonError(
        'unavailable',
        `the kill script ended with status ${end.exitCode ?? end.signal ?? 'unknown'}`,
      );
    });
    // A question gets the failure; without one it has no reader.
    this.#failed.catch(() => {});
  }

  static async start(sandbox: Pick<Sandbox, 'exec'>, execId: string, mode: KillMode): Promise<KillConversation> {
    const own = `kill-${randomBytes(8).toString('hex')}`;
    const { command, env } = carried('kill', killScript(), [execId, mode, own]);
    const process = await sandbox.exec(command, {
      cwd: '/',
      env: { ...env, [execVariable]: own, LC_ALL: 'C' },
      stdin: true,
      signal: AbortSignal.timeout(answerMs),
    });
    return new KillConversation(process);
  }

  /** Throws when the script has ended or does not answer. */
  async ask(command: KillCommand): Promise<Answer> {
    const nonce = randomBytes(8).toString('hex');
    this.#text = '';
    let timer: NodeJS.Timeout | undefined;
    const answered = new Promise<Answer>((resolve, reject) => {
      timer = setTimeout(() => reject(new CaissonError('timed_out', 'the kill script does not answer')), answerMs);
      this.#onText = () => {
        const answer = parseAnswer(this.#text, nonce);
        if (answer !== null) resolve(answer);
      };
    });
    this.#process.stdin?.write(`${command} ${nonce}\n`);
    try {
      return await Promise.race([answered, this.#failed]);
    } finally {
      clearTimeout(timer);
      this.#onText = () => {};
    }
  }

  /** Ends the script by the end of its input; one that hangs is killed. */
  close(): void {
    this.#process.stdin?.end();
    const kill = setTimeout(() => {
      // The script is Caisson's own and harmless; a place that cannot end it now ends it with the sandbox.
      this.#process.kill('SIGKILL').catch(() => {});
      this.#process.release();
    }, 500).unref();
    this.#failed.catch(() => {
      clearTimeout(kill);
      this.#process.release();
    });
  }
}

/** `null` until the line with the count is there. */
export function parseAnswer(text: string, nonce: string): Answer | null {
  const lines: string[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    if (!line.startsWith(`${nonce} `)) continue;
    const rest = line.slice(nonce.length + 1);
    const count = /^= (\d{1,7})$/.exec(rest)?.[1];
    if (count !== undefined) return { count: Number(count), lines };
    lines.push(rest);
  }
  return null;
}

/** A name is what the process chose to call itself, so it may hold anything. */
export function parseSurvivors(lines: readonly string[]): Survivor[] {
  const survivors: Survivor[] = [];
  for (const line of lines.slice(0, 50)) {
    const [, pid, name] = /^(\d{1,10}) (.*)$/.exec(line) ?? [];
    if (pid === undefined || name === undefined) continue;
    survivors.push({ pid: Number(pid), command: printable(name) });
  }
  return survivors;
}

export function printable(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 64);
}
