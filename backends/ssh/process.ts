/** One command in a session of its own on the host: its streams, its end, its signals. */
import { constants } from 'node:os';
import { type Readable, Writable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import type { Outputs, ProcessEnd, PtyProcess } from '../../src/backend.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { CaissonError, toCaissonError } from '../../src/errors.ts';
import { connectionLostError } from './fault.ts';
import type { SessionExit } from './connection.ts';
import type { PooledSession } from './pool.ts';
import { Output } from '../shared/output.ts';
import { endOf } from '../shared/outputs.ts';

const bufferBytes = 256 * 1024;
/** What the host still sends after the end of a command arrives within this time, unless a stream is held. */
const openStreamMs = 2000;

/** Sends a signal to the group of a process, unless the number belongs to another one by now. */
export type Signaler = (id: ProcessId, signal: string) => Promise<void>;

export interface ProcessId {
  readonly pid: number;
  /** Start time in clock ticks (proc(5)): the same pid with another one is another process. */
  readonly born: string;
}

export interface Session {
  readonly channel: ClientChannel;
  readonly place: PooledSession;
  readonly nonce: string;
  readonly stdin: boolean;
  readonly signaler: Signaler;
}

export class SshProcess implements PtyProcess {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The shell's answer: that it is about to become the command, or why not. */
  readonly head: Promise<string>;
  readonly #session: Session;
  readonly #outputs: readonly Output[];
  readonly #end = Promise.withResolvers<ProcessEnd>();
  #over = false;
  #id: ProcessId | null = null;

  constructor(session: Session) {
    const { channel, place, nonce } = session;
    this.#session = session;
    const stdout = new Output(channel, nonce, noShellError);
    const stderr = new Output(channel.stderr, nonce, noShellError);
    this.#outputs = [stdout, stderr];
    this.stdout = stdout.stream;
    this.stderr = stderr.stream;
    this.head = stdout.head;
    this.stdin = session.stdin ? writer(channel) : null;
    this.#end.promise.catch(() => undefined);
    const exit = place.connection.exitOf(channel);
    if (exit === null) channel.once('exit', (code: number | null, signal?: string) => this.#ended({ code, signal }));
    else this.#ended(exit);
    const forget = place.connection.onLost((fault) => this.#lost(fault));
    channel.once('close', () => {
      forget();
      if (this.#over) this.#closed();
      else this.#closed(connectionLostError(place.connection.target.label, null));
    });
  }

  /** Known from the head on. */
  set id(id: ProcessId) {
    this.#id = id;
  }

  wait(): Promise<ProcessEnd> {
    return this.#end.promise;
  }

  /**
   * The host sends the end of a stream (RFC 4254, 5.3) after its last byte and on a connection that authenticates every
   * byte, so that a stream that ended is whole. One that stays open is held there, by a process that is not named.
   */
  async outputs(): Promise<Outputs> {
    const ended = await this.#end.promise.then(
      () => null,
      (error: unknown): Outputs => ({ is: 'cut', why: toCaissonError(error).message }),
    );
    if (ended !== null) return ended;
    const late = delay(openStreamMs, null, { ref: false });
    const streams = await Promise.race([endOf([this.stdout, this.stderr]), late]);
    return (
      streams ?? { is: 'unknown', why: 'a stream stays open, and the host does not report which process holds it' }
    );
  }

  async kill(signal: string): Promise<void> {
    if (!Object.hasOwn(constants.signals, signal))
      throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`);
    if (this.#over || this.#id === null) return;
    await this.#session.signaler(this.#id, signal);
  }

  /** A live command keeps its session, read into nothing: without one the host would not tell how it ended. */
  release(): void {
    const { channel } = this.#session;
    this.stdin?.destroy();
    for (const { stream } of this.#outputs) stream.destroy();
    const close = (): void => channel.close();
    if (this.#over) close();
    else this.#end.promise.then(close, close);
  }

  async resize(columns: number, rows: number): Promise<void> {
    if (!this.#over) this.#session.channel.setWindow(rows, columns, 0, 0);
  }

  #ended({ code, signal }: SessionExit): void {
    if (code === null) this.#settle({ exitCode: null, signal: signalName(signal), outOfMemory: false });
    else if (code >= 0 && code <= 255) this.#settle({ exitCode: code, signal: null, outOfMemory: false });
    else this.#end.reject(new CaissonError('unavailable', `the host reported an exit code that there is not: ${code}`));
  }

  #settle(end: ProcessEnd): void {
    this.#over = true;
    this.#end.resolve(end);
  }

  /** The session is free again. Without a reported end by now, the end is not known. */
  #closed(fault?: CaissonError): void {
    this.#over = true;
    if (fault !== undefined) this.#end.reject(fault);
    this.stdin?.destroy(fault);
    this.#session.place.leave();
  }

  #lost(fault: CaissonError): void {
    this.#closed(fault);
    for (const output of this.#outputs) output.fail(fault);
  }
}

/** Signals that the protocol has no name for come as `SIG@openssh.com` (RFC 4254, 6.10). */
function signalName(name: string | undefined): string {
  return name !== undefined && /^SIG[A-Z0-9]{1,10}$/.test(name) ? name : 'SIGUNKNOWN';
}

function writer(channel: ClientChannel): Writable {
  const stdin = new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer, _encoding, done) => void channel.write(chunk, done),
    final: (done) => {
      channel.end();
      done();
    },
    destroy: (error, done) => {
      if (!channel.writableEnded) channel.end();
      done(error);
    },
  });
  // The command may close its end at any time; by the contract that does not count as a failure.
  stdin.on('error', () => undefined);
  return stdin;
}

function noShellError(): CaissonError {
  return new CaissonError('unavailable', 'the host did not start a shell for the command', {
    remedy:
      'see whether `ssh HOST true` works: a forced command or a login shell that is not a shell stands in the way',
  });
}
