/** The sandbox of a task as adapters work in it: shell text, and files up to a size. */
import { CaissonError, isCode } from '../errors.ts';
import { given } from '../lib/given.ts';
import type { RunResult, SandboxRequest } from '../service/api.ts';
import { type Exit, shellCode } from '../values/exit.ts';
import type { Caisson, Command, Started } from './api.ts';

/** A sandbox as in every request, and how an adapter uses it. */
export interface AdapterOptions extends SandboxRequest {
  /** Deadline of each command. `null`: none. Absent: `terminal.timeout` of the configuration. */
  readonly timeoutMs?: number | null;
  /** Most that is read of one file. Absent: 64 MiB. */
  readonly maxFileBytes?: number;
}

export interface Where {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Program that reads the text. Absent: `sh`. */
  readonly shell?: string | undefined;
}

const defaultFileBytes = 64 * 1024 * 1024;

export class Place {
  readonly api: Caisson;
  /** The request of the sandbox, with its task: each command gives it, so that a sandbox that is gone is made again. */
  readonly request: SandboxRequest & { readonly taskId: string };
  readonly id: string;
  readonly backend: string;
  readonly cwd: string;
  readonly #timeoutMs: number | null | undefined;
  readonly #maxFileBytes: number;

  private constructor(api: Caisson, options: AdapterOptions, made: Pick<Place, 'request' | 'id' | 'backend' | 'cwd'>) {
    this.api = api;
    this.request = made.request;
    this.id = made.id;
    this.backend = made.backend;
    this.cwd = made.cwd;
    this.#timeoutMs = options.timeoutMs;
    this.#maxFileBytes = options.maxFileBytes ?? defaultFileBytes;
  }

  /** Gets the sandbox of the task, or makes it. Without a task id, a new task that stays until it is removed. */
  static async open(api: Caisson, options: AdapterOptions = {}): Promise<Place> {
    const { timeoutMs: _timeout, maxFileBytes: _bytes, ...asked } = options;
    const request = { ...asked, taskId: asked.taskId ?? `agent-${crypto.randomUUID()}` };
    const { sandbox } = await api.sandboxes.create(request);
    const { id, backend, spec } = sandbox;
    // The spec does not say it for commands that run on the host itself.
    const { stdout } = await api.run({ ...request, command: ['pwd', '-P'] });
    return new Place(api, options, { request, id, backend, cwd: stdout.text.replace(/\n$/, '') || spec.cwd });
  }

  get task(): string {
    return this.request.taskId;
  }

  /** Runs shell text to its end. Throws for a command that may not run, or whose end is not known. */
  async sh(text: string, where: Where = {}): Promise<RunResult> {
    return await this.api.run(this.#command(text, where), options(where.signal));
  }

  async start(text: string, where: Where & Pick<Command, 'stdin' | 'tty'> = {}): Promise<Started> {
    const { stdin, tty } = where;
    return await this.api.exec({ ...this.#command(text, where), ...given({ stdin, tty }) }, options(where.signal));
  }

  /** The whole file. Throws `invalid_argument` with `details.reason` `too-large` for more than may be read. */
  async bytesOf(path: string, signal?: AbortSignal): Promise<Uint8Array> {
    const { size, parts } = await this.api.files.stream({ task: this.task, path }, options(signal));
    if (size > this.#maxFileBytes) throw tooLarge(path, size, this.#maxFileBytes);
    return await this.collected(parts, path);
  }

  /** All of a stream, up to the most that is read of a file. */
  async collected(parts: AsyncIterable<Uint8Array>, what: string): Promise<Uint8Array> {
    const kept: Uint8Array[] = [];
    let size = 0;
    for await (const part of parts) {
      size += part.length;
      if (size > this.#maxFileBytes) throw tooLarge(what, size, this.#maxFileBytes);
      kept.push(part);
    }
    return joined(kept, size);
  }

  /** An absolute path; a relative one begins where commands start. */
  absolute(path: string): string {
    return path.startsWith('/') ? path : `${this.cwd}/${path}`;
  }

  #command(text: string, { cwd, env, shell = 'sh' }: Where): SandboxRequest & Command {
    return {
      ...this.request,
      command: [shell, '-c', text],
      ...given({
        cwd: cwd === undefined ? undefined : this.absolute(cwd),
        env,
        timeoutMs: this.#timeoutMs,
      }),
    };
  }
}

export const options = (signal: AbortSignal | undefined): { readonly signal?: AbortSignal } => given({ signal });

/** What a shell would show. Throws `unavailable` for an end that is not known: no number stands for it. */
export function codeOf(exit: Exit): number {
  if (exit.reason !== 'lost') return shellCode(exit);
  throw new CaissonError('unavailable', ['the end of the command is not known', ...exit.notes].join(': '), {
    remedy: 'see what it did before it is run again: its output is on record',
  });
}

/** Sentences for the model: why a command was ended. */
export const notesOf = ({ reason, notes }: Exit): string =>
  reason === 'exited' ? '' : notes.map((note) => `caisson: ${note}\n`).join('');

/** A refusal as the model sees it; any other error is thrown. */
export function refusalOf(error: unknown): string {
  if (!isCode(error, 'policy_denied') && !isCode(error, 'approval_required')) throw error;
  return `caisson: ${error.message}${error.remedy === null ? '' : `; ${error.remedy}`}\n`;
}

/** Exit status of a command that may not run, as shells have it. */
export const refusedCode = 126;

/** Whether the path is missing, and not the sandbox. */
export const isMissing = (error: unknown): boolean =>
  isCode(error, 'not_found') && ['missing', 'no-parent'].includes(String(error.details['reason']));

/** Throws `invalid_argument` where the module of a framework lacks what the adapter takes from it. */
export function mustHave(framework: object, names: readonly string[], what: string): void {
  const missing = names.filter((name) => typeof Reflect.get(framework, name) !== 'function');
  if (missing.length > 0)
    throw new CaissonError('invalid_argument', `the adapter needs ${missing.join(', ')} of ${what}`, {
      remedy: 'hand in the module of a version that docs/agents.md names',
    });
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array {
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function tooLarge(path: string, size: number, max: number): CaissonError {
  return new CaissonError('invalid_argument', `${path} has ${size} bytes or more, and at most ${max} are read`, {
    details: { reason: 'too-large', size, most: max },
    remedy: 'read a part of it by a command, or give the adapter a larger maxFileBytes',
  });
}
