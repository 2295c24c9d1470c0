/** Programs started without any part of Caisson: by `raw.py`, with pipes and terminals as every Unix program gives them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface RawCommand {
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** Absent: that of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** `null`: end of file at once. */
  readonly stdin: Buffer | null;
  readonly tty: boolean;
}

export interface RawEnd {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Status that a shell shows: 128+n for a signal. `null`: the time was up. */
  readonly code: number | null;
}

const seconds = 40;

export class RawRunner implements AsyncDisposable {
  readonly #python: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #last = 0;

  constructor() {
    const program = fileURLToPath(new URL('raw.py', import.meta.url));
    this.#python = spawn('python3', ['-I', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#python.stdout ?? process.stdin }).on('line', (line) => {
      const answer: Answer = JSON.parse(line);
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async run({ argv, cwd = '/', env, stdin, tty }: RawCommand): Promise<RawEnd> {
    this.#last += 1;
    const id = this.#last;
    const answered = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    const input = stdin === null ? null : stdin.toString('base64');
    this.#python.stdin?.write(
      `${JSON.stringify({ id, argv, cwd, env: env ?? process.env, stdin: input, tty, seconds })}\n`,
    );
    const { stdout, stderr, code, error } = await answered;
    if (error !== undefined) throw new Error(`${argv[0]} was not started: ${error}`);
    return { stdout: bytes(stdout), stderr: bytes(stderr), code: code !== null && code < 0 ? 128 - code : code };
  }

  /** Output of a program that has to succeed. */
  async text(command: RawCommand): Promise<string> {
    const { stdout, stderr, code } = await this.run(command);
    if (code !== 0)
      throw new Error(`${command.argv.join(' ').slice(0, 200)}: ${code} ${stderr.toString().slice(-1000)}`);
    return stdout.toString('latin1');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#python, 'exit');
    this.#python.stdin?.end();
    await ended;
  }
}

interface Answer {
  readonly id: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly error?: string;
}

const bytes = (base64: string): Buffer => Buffer.from(base64, 'base64');
