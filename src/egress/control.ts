/**
 * How other processes of the state directory speak with the proxy: a unix socket, for this user alone, and lines. Each is the id of
 * a sandbox, and asks it to take up what the store says of that one; the answer is `ok` when it has. As long as the connection stays,
 * the proxy lives.
 */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { CaissonError, toCaissonError } from '../errors.ts';
import { egressDirectory, withShortPath } from './places.ts';

const name = 'control';
const maxBytes = 1024;
/** One that is only busy takes up a sandbox after all that were there before. */
const defaultTimeoutMs = 60_000;

/** `sync`: throws what is answered. */
export async function openControl(home: string, sync: (sandboxId: string) => Promise<void>): Promise<Server> {
  const server = createServer((socket) => {
    let said = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      const lines = `${said}${chunk.toString('latin1')}`.split('\n');
      said = lines.pop() ?? '';
      if (said.length > maxBytes) return void socket.destroy();
      for (const sandboxId of lines) void answer(socket, sync(sandboxId));
    });
  });
  rmSync(join(egressDirectory(home), name), { force: true });
  await withShortPath(egressDirectory(home), name, async (path) => {
    server.listen(path);
    await once(server, 'listening');
  });
  chmodSync(join(egressDirectory(home), name), 0o600);
  return server;
}

/** Answers come in the order of their requests. */
async function answer(socket: Socket, syncing: Promise<void>): Promise<void> {
  const said = await syncing.then(
    () => 'ok\n',
    (error: unknown) => `${toCaissonError(error).message.replaceAll('\n', ' ').slice(0, maxBytes)}\n`,
  );
  if (socket.writable) socket.write(said);
}

/** A connection to the proxy that lives. */
export class Link {
  readonly #socket: Socket;
  /** Those that wait for an answer, in order. */
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  readonly #ended = Promise.withResolvers<void>();
  readonly #timeoutMs: number;
  #said = '';

  private constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.unref();
    socket.on('error', () => undefined).once('close', () => this.#end());
    socket.on('data', (chunk: Buffer) => this.#hear(chunk.toString('latin1')));
  }

  /** Connects to the proxy of a state directory; `null`: no proxy answers there. */
  static async open(home: string, timeoutMs = defaultTimeoutMs): Promise<Link | null> {
    try {
      return await withShortPath(egressDirectory(home), name, async (path) => {
        const socket = connect(path);
        await once(socket, 'connect');
        return new Link(socket, timeoutMs);
      });
    } catch {
      return null;
    }
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  /** Resolves when the proxy has ended, or the link was closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Throws `unavailable` when the proxy ends meanwhile, cannot do it, or does not answer. */
  async sync(sandboxId: string): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    this.#waiting.push(waiting);
    this.#socket.ref();
    this.#socket.write(`${sandboxId}\n`);
    const timer = setTimeout(() => this.#giveUp(waiting), this.#timeoutMs);
    try {
      await waiting.promise;
    } finally {
      clearTimeout(timer);
      if (this.#waiting.length === 0) this.#socket.unref();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Later answers would be taken for those of other requests: the link is of no more use. */
  #giveUp(waiting: PromiseWithResolvers<void>): void {
    const seconds = this.#timeoutMs / 1000;
    const error = new CaissonError('unavailable', `the egress proxy did not answer within ${seconds} s`, {
      remedy: 'if its process, `caisson egress`, hangs, end it: the next use of the sandbox starts another one',
    });
    waiting.reject(error);
    this.close();
  }

  #hear(text: string): void {
    const lines = `${this.#said}${text}`.split('\n');
    this.#said = (lines.pop() ?? '').slice(0, maxBytes);
    for (const line of lines) {
      const waiting = this.#waiting.shift();
      if (line === 'ok') waiting?.resolve();
      else waiting?.reject(new CaissonError('unavailable', `the egress proxy refused: ${line}`));
    }
  }

  #end(): void {
    this.#ended.resolve();
    for (const waiting of this.#waiting.splice(0))
      waiting.reject(new CaissonError('unavailable', 'the egress proxy has ended'));
  }
}
