/**
 * One stateful shell and the call that it runs. Calls are given one at a time; the queue is its owner's.
 *
 *   opening -> idle <-> running
 *                 \-> ended      the text ended its shell, it was killed, or its connection broke
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outputs, Process, ProcessEnd, Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { newNonce } from '../random.ts';
import { LaneProcess } from '../lane/lane-process.ts';
import { Scanner } from '../lane/scanner.ts';
import { runScript } from '../../inside/run.ts';
import { encodeLook, type ShellState, readLook } from './look.ts';
import { lostForm, parseLost } from './lost.ts';
import { encodeText } from './request.ts';
import { scriptOf } from '../../inside/script.ts';
import { settledOrLate } from '../settled.ts';

type StreamName = 'stdout' | 'stderr';

const helloForm = new RegExp(`^:(\\d{1,10}):(bash|sh):([01])(${lostForm})$`);
const statusForm = /^:\d{1,3}$/;
const emptyForm = /^$/;
const openTimeoutMs = 20_000;
const lookTimeoutMs = 10_000;
/** A place tells within seconds what is proved of the output of a shell that has ended. */
const proofTimeoutMs = 10_000;
/** After this long without a byte, what could have begun the mark is shown. */
const quietMs = 50;
/** More than this behind a mark is not looked through for another one. */
const maxLateBytes = 1024 * 1024;
/** The mark is split only where a buffer was full; the last bytes of a prompt come in a short chunk. */
const longestPrompt = 1024;

export interface SessionShell {
  readonly pid: number;
  readonly shell: 'bash' | 'sh';
  /** Whether state of an earlier shell was taken up. */
  readonly restored: boolean;
  /** What of that state could not be. */
  readonly lost: readonly string[];
}

export class Session {
  readonly #process: Process;
  /** Asked for before the streams are given up, which would be their end. */
  readonly #outputs: Promise<Outputs>;
  #scanners: Partial<Record<StreamName, Scanner>> = {};
  #trailers: Partial<Record<StreamName, string>> = {};
  readonly #quiet: Partial<Record<StreamName, NodeJS.Timeout>> = {};
  #settle: ((trailer: string | null) => void) | null = null;
  #current: LaneProcess | null = null;
  /** What is written while the shell tells of itself. */
  #looked: Buffer[] | null = null;
  #opened: SessionShell | null = null;
  #end: ProcessEnd | 'unknown' | null = null;

  constructor(process: Process) {
    this.#process = process;
    this.#outputs = process.outputs();
    process.stdin?.on('error', () => {}); // its end tells what became of it
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].on('data', (chunk: Buffer) => this.#receive(name, chunk));
      process[name].on('error', () => {}); // the same
    }
    process.wait().then(
      (end) => this.#ended(end),
      () => this.#ended('unknown'),
    );
  }

  get opened(): SessionShell | null {
    return this.#opened;
  }

  get hasEnded(): boolean {
    return this.#end !== null;
  }

  /** Exit status of the shell itself; `null` while it lives, or when its end was not seen. */
  get endStatus(): number | null {
    return this.#end === null || this.#end === 'unknown' ? null : this.#end.exitCode;
  }

  /** Gives the shell its program and waits for the hello. */
  async open(nonce: string, program: Buffer): Promise<SessionShell> {
    const late = sleep(openTimeoutMs, null, { ref: false });
    const expected = this.#expect(nonce, helloForm);
    this.#process.stdin?.write(program);
    const hello = await Promise.race([expected, late]);
    const [, pid, kind, restored, lost = ''] = helloForm.exec(hello ?? '') ?? [];
    if (pid === undefined) {
      this.close();
      throw new CaissonError(
        'not_supported',
        'the shell of the session did not start: a session needs sh in the sandbox and a writable place for its state',
      );
    }
    const shell = kind === 'bash' ? 'bash' : 'sh';
    this.#opened = {
      pid: Number(pid),
      shell,
      restored: restored === '1',
      lost: restored === '1' ? parseLost(shell, lost) : [],
    };
    return this.#opened;
  }

  /** The session must be idle. */
  run(text: string, env: Readonly<Record<string, string>>): LaneProcess {
    const nonce = newNonce();
    const current: LaneProcess = new LaneProcess({
      flow: (name) => this.#process[name].resume(),
      // The tree of the text was ended before: who is left is the shell itself.
      kill: async (signal) => (signal === 'SIGKILL' && this.#current === current ? await this.#kill() : undefined),
      release: () => undefined,
    });
    this.#current = current;
    void this.#expect(nonce, statusForm).then((trailer) => this.#finish(current, trailer));
    this.#process.stdin?.write(encodeText({ text, env, nonce }));
    return current;
  }

  /** What its shell tells of itself; `null` when it does not, or something else has written in between. It must be idle. */
  async look(names: readonly string[]): Promise<ShellState | null> {
    if (this.hasEnded) return null;
    const [nonce, token] = [newNonce(), newNonce()];
    const looked: Buffer[] = [];
    this.#looked = looked;
    const answer = this.#expect(nonce, statusForm);
    this.#process.stdin?.write(encodeLook({ nonce, token, names }));
    const late = sleep(lookTimeoutMs, 'late' as const, { ref: false });
    const end = await Promise.race([answer, late]);
    this.#looked = null;
    // A shell that answers this late would answer into what comes next.
    if (end === 'late') this.close();
    return end === null || end === 'late' ? null : readLook(Buffer.concat(looked), token);
  }

  /**
   * The sandbox as the end of a call sees it: before anything in the tree is signalled, the shell is asked to give
   * the text up, so that it does not go on with the next command when the one that runs has died.
   */
  guarded(sandbox: Sandbox): Sandbox {
    const exec: Sandbox['exec'] = async (command, options) => {
      await this.#interrupt(sandbox);
      return await sandbox.exec(command, options);
    };
    const { ref, state, place, power, stats } = sandbox;
    return {
      ref,
      state,
      place,
      exec,
      destroy: (options) => sandbox.destroy(options),
      ...(power === undefined ? {} : { power }),
      ...(stats === undefined ? {} : { stats }),
    };
  }

  close(): void {
    this.#process.stdin?.end();
    this.#process.release();
    this.#ended('unknown');
  }

  async #interrupt(sandbox: Sandbox): Promise<void> {
    const opened = this.#opened;
    if (opened === null || this.hasEnded || this.#current === null) return;
    // When no script can run, the kill that follows fails as well, and says so.
    const run = {
      name: 'interrupt',
      script: scriptOf('sessions/interrupt'),
      args: [String(opened.pid), opened.shell],
      timeoutMs: 5000,
    };
    await runScript(sandbox, run).catch(() => undefined);
  }

  async #kill(): Promise<void> {
    await this.#process.kill('SIGKILL');
  }

  #expect(nonce: string, form: RegExp): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const deliver = (name: StreamName) => (bytes: Buffer) => this.#deliver(name, bytes);
    this.#scanners = {
      stdout: new Scanner(nonce, form, { deliver: deliver('stdout') }),
      stderr: new Scanner(nonce, emptyForm, { deliver: deliver('stderr') }),
    };
    this.#trailers = {};
    this.#settle = resolve;
    if (this.#end !== null) this.#settleWith(null);
    return promise;
  }

  #receive(name: StreamName, chunk: Buffer): void {
    const scanner = this.#scanners[name];
    // Late words of a background job of the session: they belong to no call.
    if (scanner === undefined) return;
    clearTimeout(this.#quiet[name]);
    scanner.feed(chunk);
    if (scanner.waits && chunk.length <= longestPrompt) this.#settleLater(name, scanner);
    if (scanner.end === null) return;
    this.#trailers[name] = scanner.end.trailer;
    // What follows the last mark is written by jobs in the background, and belongs to no call.
    if (scanner.end.late.length > maxLateBytes) delete this.#scanners[name];
    const { stdout, stderr } = this.#trailers;
    if (stdout === undefined || stderr === undefined) return;
    this.#scanners = {};
    this.#settleWith(stdout);
  }

  /** Looks at the stream once more before: a process that was busy elsewhere has not been quiet. */
  #settleLater(name: StreamName, scanner: Scanner): void {
    const stream = this.#process[name];
    const settle = (): void => {
      if (this.#scanners[name] !== scanner || timer !== this.#quiet[name]) return;
      if (stream.isPaused()) this.#settleLater(name, scanner);
      else scanner.settle();
    };
    const timer = setTimeout(() => setImmediate(settle), quietMs);
    this.#quiet[name] = timer;
  }

  #deliver(name: StreamName, bytes: Buffer): void {
    if (name === 'stdout') this.#looked?.push(bytes);
    if (this.#current !== null && !this.#current[name].push(bytes)) this.#process[name].pause();
  }

  #settleWith(trailer: string | null): void {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(trailer);
  }

  #finish(current: LaneProcess, trailer: string | null): void {
    if (trailer !== null) current.ended({ exitCode: Number(trailer.slice(1)), signal: null, outOfMemory: false });
    else if (this.#end === null || this.#end === 'unknown')
      current.lost(new CaissonError('unavailable', 'the shell of the session is gone, so the end is not known'));
    else current.ended(this.#end);
    this.#current = null;
    if (trailer !== null) current.proved({ is: 'ended' });
    else void this.#outputs.then((outputs) => current.proved(outputs));
    current.endStreams();
    for (const name of ['stdout', 'stderr'] as const) this.#process[name].resume();
  }

  /** The last output of the shell may arrive after the event of its end. */
  #ended(end: ProcessEnd | 'unknown'): void {
    if (this.#end !== null) return;
    this.#end = end;
    const give = (): void => {
      for (const scanner of Object.values(this.#scanners)) scanner.flush();
      this.#scanners = {};
      this.#settleWith(null);
      this.#process.release();
    };
    if (end === 'unknown') give();
    else void settledOrLate(this.#outputs, proofTimeoutMs).then(give);
  }
}
