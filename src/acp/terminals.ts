/** `terminal/*` of the agent: each terminal is an exec in the sandbox, which ends with the connection at the latest. */
import { randomBytes } from 'node:crypto';
import { CaissonError } from '../errors.ts';
import type { Exit, Running } from '../service/api.ts';
import { type Message, objectIn } from '../lib/message-lines.ts';
import { argumentError } from './problem.ts';
import { inProject } from './project.ts';
import { Tail } from './tail.ts';
import type { Workplace } from './types.ts';

const maxTerminals = 64;

interface Terminal {
  readonly sessionId: unknown;
  readonly running: Running;
  readonly output: Tail;
  readonly exit: Promise<Exit>;
  ended: Exit | null;
}

export class Terminals {
  readonly #place: Workplace;
  readonly #open = new Map<string, Terminal>();
  /** Those that are being started count, and are ended at the close. */
  #starting = 0;
  readonly #closing = new AbortController();

  constructor(place: Workplace) {
    this.#place = place;
  }

  async create(
    { sessionId, command, args, env, cwd, outputByteLimit }: Message,
    signal: AbortSignal,
  ): Promise<Message> {
    const { api, taskId, project } = this.#place;
    const wanted = {
      command: commandOf(command, args),
      cwd: cwd === undefined || cwd === null ? project : inProject(project, cwd),
      env: variablesOf(env),
    };
    if (this.#open.size + this.#starting >= maxTerminals)
      throw new CaissonError('resource_exhausted', `${maxTerminals} terminals are open`, {
        remedy: 'release those that are not needed',
      });
    this.#starting += 1;
    try {
      const options = { signal: AbortSignal.any([signal, this.#closing.signal]) };
      const running = await api.exec({ taskId, existing: true, ...wanted, timeoutMs: null }, options);
      const id = `term_${randomBytes(9).toString('hex')}`;
      this.#open.set(id, follow(running, { sessionId, output: new Tail(outputByteLimit) }));
      if (this.#closing.signal.aborted) await this.#release(id);
      return { terminalId: id };
    } finally {
      this.#starting -= 1;
    }
  }

  output(params: Message): Message {
    const { output, ended } = this.#find(params);
    const { text, truncated } = output;
    return { output: text, truncated, ...(ended === null ? {} : { exitStatus: statusOf(ended) }) };
  }

  async waitForExit(params: Message): Promise<Message> {
    return statusOf(await this.#find(params).exit);
  }

  /** Ends the command; its output stays. */
  async kill(params: Message): Promise<Message> {
    await this.#find(params).running.cancel();
    return {};
  }

  async release(params: Message): Promise<Message> {
    this.#find(params);
    await this.#release(String(params['terminalId']));
    return {};
  }

  /** What a terminal of this room has written, for an editor that does not know it. `null`: it is another's. */
  textOf(terminalId: unknown): string | null {
    return typeof terminalId === 'string' ? (this.#open.get(terminalId)?.output.text ?? null) : null;
  }

  /** Ends all of them. */
  async close(): Promise<void> {
    this.#closing.abort(new CaissonError('canceled', 'the connection to the editor is closed'));
    await Promise.all([...this.#open.keys()].map(async (id) => await this.#release(id)));
  }

  async #release(id: string): Promise<void> {
    const terminal = this.#open.get(id);
    this.#open.delete(id);
    if (terminal?.ended === null) await terminal.running.cancel();
  }

  #find({ terminalId, sessionId }: Message): Terminal {
    const terminal = typeof terminalId === 'string' ? this.#open.get(terminalId) : undefined;
    if (terminal === undefined || terminal.sessionId !== sessionId)
      throw new CaissonError('not_found', 'there is no such terminal in this session');
    return terminal;
  }
}

function follow(running: Running, { sessionId, output }: Pick<Terminal, 'sessionId' | 'output'>): Terminal {
  for (const stream of [running.stdout, running.stderr]) stream.on('data', (chunk: Buffer) => output.add(chunk));
  const ends = [running.stdout, running.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.once('close', resolve).once('error', () => resolve())),
  );
  const terminal: Terminal = { sessionId, running, output, exit: ended(), ended: null };
  return terminal;

  async function ended(): Promise<Exit> {
    const exit = await running.exit;
    await Promise.all(ends);
    terminal.ended = exit;
    return exit;
  }
}

/** The protocol has one of the two, or neither where the end is not known. */
function statusOf({ exitCode, signal }: Exit): Message {
  return { exitCode, signal };
}

const plainWord = /^[\w@%+=:,./-]+$/;

/** Agents give a program with its arguments, or a text for a shell. */
function commandOf(command: unknown, args: unknown): readonly [string, ...string[]] {
  if (typeof command !== 'string' || command === '') throw argumentError('command must be a text');
  const words = args ?? [];
  if (!isTexts(words)) throw argumentError('args must be a list of texts');
  return words.length === 0 && !plainWord.test(command) ? ['sh', '-c', command] : [command, ...words];
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

function variablesOf(env: unknown): Readonly<Record<string, string>> {
  if (env === undefined || env === null) return {};
  if (!Array.isArray(env)) throw argumentError('env must be a list of variables');
  return Object.fromEntries(
    env.map((each: unknown) => {
      const { name, value } = objectIn(each) ?? {};
      if (typeof name !== 'string' || typeof value !== 'string')
        throw argumentError('a variable has a name and a value');
      return [name, value] as const;
    }),
  );
}
