/** A command on a terminal: its bytes travel as they are, over a connection of their own. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { Readable, Writable } from 'node:stream';
import type { Outputs, ProcessEnd, PtyOptions, PtyProcess } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { untilAborted } from '../shared/abort.ts';
import { NotStartedProcess } from '../shared/not-started.ts';
import { Output } from '../shared/output.ts';
import { type Launch, notStartedOf, preamble } from '../shared/preamble.ts';
import type { ProcessId } from './process.ts';
import { openRaw, type StartTarget, type Raw, startRefusedError } from './start.ts';

const killSeconds = 10;
/** The terminal gives no credit: what is not read in time ends the connection at the service, and here. */
const maxUnread = 8 * 2 ** 20;

export async function startTerminal(place: StartTarget, launch: Launch, options: PtyOptions): Promise<PtyProcess> {
  const nonce = randomBytes(12).toString('hex');
  const script = preamble({ ...launch, terminal: { columns: options.columns, rows: options.rows } }, nonce).toString();
  const source = new Readable({ read: () => undefined });
  const opening = {
    script,
    size: { cols: options.columns, rows: options.rows },
    onBytes: (bytes: Buffer) => take(source, bytes),
  };
  const raw = await openRaw(place, opening, options.signal);
  const process = new TerminalProcess(raw, source, nonce);
  options.onSent?.();
  raw.link.send(Buffer.from(script));
  return await untilAborted(begun(process, launch), options.signal, (late) => late.release());
}

function take(source: Readable, bytes: Buffer): void {
  if (source.readableLength > maxUnread) source.destroy(new Error('the output of the terminal was not read in time'));
  else if (!source.destroyed) source.push(Buffer.from(bytes));
}

async function begun(process: TerminalProcess, launch: Launch): Promise<PtyProcess> {
  const [word, pid, born = ''] = (await process.head).split(' ');
  const missing = notStartedOf(word);
  if (missing !== null) {
    process.release();
    return Object.assign(new NotStartedProcess(missing, true), { resize: async () => undefined });
  }
  if (word !== 'ok' || !/^\d{1,10}$/.test(pid ?? '')) {
    process.release();
    throw startRefusedError(word ?? '', launch);
  }
  process.id = { pid: Number(pid), born };
  return process;
}

class TerminalProcess implements PtyProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr = Readable.from([]);
  readonly head: Promise<string>;
  readonly #raw: Raw;
  readonly #end: Promise<ProcessEnd>;
  #over = false;
  #id: ProcessId | null = null;

  constructor(raw: Raw, source: Readable, nonce: string) {
    this.#raw = raw;
    const output = new Output(source, nonce, noShellError);
    this.stdout = output.stream;
    this.head = output.head;
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        raw.link.send(chunk);
        done();
      },
    });
    this.stdin.on('error', () => undefined);
    this.#end = raw.link.down.then((code) => {
      this.#over = true;
      if (code !== null && !source.destroyed) source.push(null);
      else output.fail(terminalBrokenError());
      if (code === null) throw terminalBrokenError();
      return { exitCode: code & 0xff, signal: null, outOfMemory: false };
    });
    this.#end.catch(() => undefined);
  }

  set id(id: ProcessId) {
    this.#id = id;
  }

  wait(): Promise<ProcessEnd> {
    return this.#end;
  }

  async outputs(): Promise<Outputs> {
    return await this.#end.then(
      (): Outputs => ({ is: 'unknown', why: 'a terminal has no end of its own' }),
      (): Outputs => ({ is: 'cut', why: terminalBrokenError().message }),
    );
  }

  /** A terminal has no way beside its bytes: the signal is sent by a command of the service's own. */
  async kill(signal: string): Promise<void> {
    if (!Object.hasOwn(constants.signals, signal))
      throw new CaissonError('invalid_argument', `there is no signal ${JSON.stringify(signal.slice(0, 20))}`, {});
    if (this.#over || this.#id === null) return;
    const { pid } = this.#id;
    const line = `kill -s ${signal.slice('SIG'.length)} -- -${pid} || kill -s ${signal.slice('SIG'.length)} ${pid}`;
    await this.#raw.toolbox.executeCommand(line, '/', undefined, killSeconds).catch(() => undefined);
  }

  release(): void {
    this.stdout.destroy();
    if (this.#over) return;
    this.#end.then(
      () => this.#raw.link.close(),
      () => this.#raw.link.close(),
    );
  }

  async resize(columns: number, rows: number): Promise<void> {
    if (!this.#over) await this.#raw.toolbox.resizePtySession(this.#raw.id, columns, rows).catch(() => undefined);
  }
}

function noShellError(): CaissonError {
  return new CaissonError('unavailable', 'no shell started for the command in the Daytona sandbox', {});
}

function terminalBrokenError(): CaissonError {
  return new CaissonError('unavailable', 'the connection to the terminal broke', {});
}
