/**
 * The way to carry.sh, which lasts longer than a connection: one that breaks is taken up again, and what was lost with it is sent
 * once more. Numbers keep anything from arriving twice.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../src/errors.ts';
import { Chunks } from './chunks.ts';
import { type Frame, FrameReader } from './frames.ts';
import { endTerminal, type Link, openLink } from './link.ts';
import { MarkSearch } from './mark.ts';
import { Outbox } from './outbox.ts';
import { pause } from './pause.ts';
import type { Handle } from './sdk.ts';

const beatMs = 10_000;
const silentMs = 30_000;
const markMs = 8000;
const leaveMs = 2000;
const resumeMs = 40_000;

export interface OpenConversation {
  readonly toolbox: Handle['process'];
  readonly id: string;
  /** Behind its mark. */
  readonly link: Link;
  /** Whether the sandbox still runs, asked when a connection cannot be had. */
  readonly isThere: () => Promise<boolean>;
}

export class Conversation {
  readonly stdout: Chunks;
  readonly stderr: Chunks;
  readonly outbox: Outbox;
  /** The status of the command. Rejects with `unavailable` when it cannot be known any more. */
  readonly exit: Promise<number>;
  readonly #exit = Promise.withResolvers<number>();
  readonly #opened: OpenConversation;
  readonly #reader = new FrameReader((frame) => this.#take(frame));
  #link: Link;
  #search: MarkSearch | null = null;
  #closed = false;
  /** Counts connections: what an older one still brings is not read. */
  #turn = 0;
  #lastMs = performance.now();
  readonly #beat: NodeJS.Timeout;

  constructor(opened: OpenConversation, text: Buffer) {
    this.#opened = opened;
    this.#link = opened.link;
    this.exit = this.#exit.promise;
    this.exit.catch(() => undefined);
    const onTaken = (): void => this.#acknowledge();
    this.stdout = new Chunks(onTaken);
    this.stderr = new Chunks(onTaken);
    this.outbox = new Outbox(text);
    this.#beat = setInterval(() => this.#beatOnce(), beatMs).unref();
    this.#watch(opened.link);
  }

  /** How long ago something arrived. */
  get quietMs(): number {
    return performance.now() - this.#lastMs;
  }

  begin(): void {
    this.outbox.begin((frame) => this.#link.send(frame), 0);
  }

  /** Bytes of the connection. */
  feed(bytes: Buffer): void {
    if (this.#closed) return;
    this.#lastMs = performance.now();
    try {
      const rest = this.#search === null ? bytes : this.#search.feed(bytes);
      if (rest === null) return;
      this.#search = null;
      this.#reader.feed(rest);
    } catch (error) {
      this.#fail(error instanceof CaissonError ? error : connectionLostError());
    }
  }

  /** Nothing more is needed: what carries the command ends, and a command that is still there is not touched. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#stop();
    const { toolbox, id } = this.#opened;
    const link = this.#link;
    link.send(Buffer.from('Q\n'));
    const ended = link.down.then(() => true);
    void Promise.race([ended, sleep(leaveMs, false, { ref: false })]).then(async (isEnded) => {
      link.close();
      if (!isEnded) await endTerminal(toolbox, id);
    });
  }

  #take(frame: Frame): void {
    if (frame.kind === 'o') this.stdout.arrive(frame.n, frame.bytes);
    else if (frame.kind === 'e') this.stderr.arrive(frame.n, frame.bytes);
    else if (frame.kind === 'i') this.outbox.passed(frame.n);
    else if (frame.kind === 'x') this.#exit.resolve(frame.n);
    else if (frame.kind === 'l') this.outbox.begin((each) => this.#link.send(each), frame.n);
    else if (frame.kind === 'r') {
      this.outbox.resume((each) => this.#link.send(each), frame);
      this.#acknowledge();
    }
  }

  #acknowledge(): void {
    if (!this.#closed && this.#search === null)
      this.#link.send(Buffer.from(`A ${this.stdout.taken} ${this.stderr.taken}\n`));
  }

  #beatOnce(): void {
    if (this.quietMs > silentMs) this.#link.close();
    else this.#link.send(Buffer.from('P\n'));
  }

  #watch(link: Link): void {
    void link.down.then(async () => {
      if (this.#closed || link !== this.#link) return;
      this.outbox.pause();
      await this.#resume();
    });
  }

  async #resume(): Promise<void> {
    const deadline = performance.now() + resumeMs;
    for (let waitMs = 30; performance.now() < deadline; waitMs = Math.min(2000, waitMs * 2)) {
      const link = await this.#reconnect();
      if (this.#closed) return;
      if (link !== null) return this.#watch(link);
      if (!(await this.#isThere())) break;
      await pause(waitMs * (0.75 + Math.random() / 2));
    }
    this.#fail(connectionLostError());
  }

  /** `null`: it cannot be had now. */
  async #reconnect(): Promise<Link | null> {
    const { toolbox, id } = this.#opened;
    const mark = randomBytes(12).toString('hex');
    const search = new MarkSearch(mark);
    this.#reader.reset();
    this.#search = search;
    try {
      const turn = (this.#turn += 1);
      const link = await openLink(toolbox, { id, onBytes: (bytes) => this.#turn === turn && this.feed(bytes) });
      this.#link = link;
      link.send(Buffer.from(`R ${mark} ${this.stdout.arrived} ${this.stderr.arrived}\n`));
      const found = await Promise.race([
        search.found.then(() => true),
        link.down.then(() => false),
        pause(markMs).then(() => false),
      ]);
      if (found) return link;
      link.close();
      return null;
    } catch {
      return null; // Asked again, for some time.
    }
  }

  /** The terminal, and the sandbox around it. */
  async #isThere(): Promise<boolean> {
    const { toolbox, id, isThere } = this.#opened;
    try {
      return (await toolbox.getPtySessionInfo(id)).active;
    } catch (error) {
      const status: unknown = Reflect.get(Object(error), 'statusCode');
      return status !== 404 && (await isThere());
    }
  }

  #fail(error: CaissonError): void {
    if (this.#closed) return;
    this.#stop();
    this.#exit.reject(error);
    for (const { stream } of [this.stdout, this.stderr]) if (!stream.readableEnded) stream.destroy(error);
    this.#link.close();
    void endTerminal(this.#opened.toolbox, this.#opened.id);
  }

  #stop(): void {
    this.#closed = true;
    clearInterval(this.#beat);
    this.outbox.pause();
    this.outbox.give();
  }
}

function connectionLostError(): CaissonError {
  return new CaissonError(
    'unavailable',
    'the connection to the Daytona sandbox broke, and could not be taken up again',
    {
      remedy: 'see whether the sandbox runs: `caisson ls`',
    },
  );
}
