/**
 * One warm shell in a sandbox, and the exec that it runs.
 *
 *   opening -> idle -> running -> idle
 *                         |  \-> checking -> idle      a process held a stream at the end; looked at again, none does
 *                         v           |
 *                      retired <------+                it died, is still held, or said something while idle
 *
 * A request is written only to a lane that is verified idle: what is queued in its stdin could be read by a command.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { newNonce } from '../random.ts';
import { endWithMemory } from './ended.ts';
import { type Answer, Exchange, type Late, type StreamName } from './exchange.ts';
import { awaitHello, type LaneStart } from './hello.ts';
import { type LaneControl, LaneProcess } from './lane-process.ts';
import { openingForm, readOpening, readStatus, type Status, statusForm } from './protocol.ts';
import { ReadyChild } from './ready-child.ts';
import { encodeAgain, encodeEnd, encodeNow, encodeRequest, type LaneCommand } from './request.ts';
import { lastWords } from './last-words.ts';
import { judge, laterRecheckMs, type Look, type Looked, recheckPausesMs } from './look.ts';

type State = 'opening' | 'idle' | 'running' | 'checking' | 'retired';

/** Long enough to wrap the pid counter: a range of pids proves nothing then, and everything is looked at. */
const longRunMs = 2_000;

export interface LaneHooks {
  /** The lane can take a request, or never will again. */
  readonly onChange: (lane: Lane) => void;
  /** A process of the command lives on after its end, and holds a stream. */
  readonly onOutlived: () => void;
  readonly memory?: Sandbox['memory'];
}

/** A running exec of this lane. */
interface Current {
  readonly process: LaneProcess;
  /** Whether it was given to a child that stood ready. */
  readonly toChild: boolean;
  readonly killsBefore: number;
  opening: string;
}

export class Lane {
  /** Pid of its shell, as the sandbox counts; `null` before `open`. */
  pid: number | null = null;
  readonly #process: Process;
  readonly #surroundings: LaneHooks;
  #state: State = 'opening';
  /** `null`: the lane has nothing to say. */
  #exchange: Exchange | null = null;
  #notice: string | null = null;
  #current: Current | null = null;
  #startedAt = 0;
  /** Its shell has ended. */
  #isDying = false;
  #canStandReady = false;
  /** The child that waits in it for a request. */
  #child: ReadyChild | null = null;
  #children = 0;

  constructor(process: Process, surroundings: LaneHooks) {
    this.#process = process;
    this.#surroundings = surroundings;
    process.stdin?.on('error', () => this.#retire('its input closed'));
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].on('data', (chunk: Buffer) => this.#receive(name, chunk));
      process[name].on('error', ({ message }) => this.#retire(`its ${name} broke: ${message}`));
      process[name].on('end', () => void this.#dying(`its ${name} ended`));
    }
    process.wait().then(
      () => void this.#dying('its shell ended'),
      () => void this.#dying('its shell cannot be seen any more'),
    );
  }

  get state(): State {
    return this.#state;
  }

  /** When the running exec began, by the monotonic clock. */
  get startedAt(): number {
    return this.#startedAt;
  }

  /** See `beats.ts`. One that runs a command reads nothing, and needs none. */
  beat(): void {
    if (this.#state === 'idle') this.#process.stdin?.write('\n');
  }

  /** Gives the shell its program and waits for the hello. Throws when it does not come. */
  async open({ nonce, program, notice }: LaneStart): Promise<void> {
    const { exchange, answer } = awaitHello(nonce);
    this.#exchange = exchange;
    this.#process.stdin?.write(program);
    const hello = await answer;
    if (hello === null || this.#isRetired()) {
      this.close();
      throw new CaissonError('not_supported', 'no lane opens here: it needs sh, setsid and /proc in the sandbox');
    }
    this.#exchange = null;
    this.#notice = notice ?? null;
    this.pid = hello.pid;
    this.#canStandReady = hello.canStandReady;
    this.#state = 'idle';
  }

  /** The lane must be idle. */
  run(request: LaneCommand): LaneProcess {
    if (this.#state !== 'idle') throw new CaissonError('internal', `a request to a lane that is ${this.#state}`);
    const child = this.#child;
    this.#child = null;
    this.#state = 'running';
    this.#startedAt = performance.now();
    const process: LaneProcess = new LaneProcess(this.#control(() => this.#current?.process === process));
    const killsBefore = this.#surroundings.memory?.kills() ?? 0;
    const current: Current = { process, toChild: child !== null, killsBefore, opening: '+' };
    this.#current = current;
    const nonce = child?.nonce ?? newNonce();
    this.#exchange = new Exchange(
      { nonce, notice: this.#notice, form: statusForm, opening: openingForm },
      this.#answerFor(current),
    );
    this.#process.stdin?.write(
      child === null ? encodeRequest({ ...request, nonce }) : encodeNow({ ...request, nonce, tag: child.tag }),
    );
    return process;
  }

  /** Starts the process of the next command ahead, where the shell can, unless it is there or the lane is not idle. */
  standReady(): void {
    if (!this.#canStandReady || this.#state !== 'idle' || this.#child !== null) return;
    this.#children += 1;
    this.#child = new ReadyChild(this.#children);
    this.#exchange = this.#child.listen((isTrue) => {
      this.#exchange = null;
      if (!isTrue) this.#retire('it spoke while idle');
    });
    this.#process.stdin?.write(this.#child.request);
  }

  /** What stands ready in it, or is about to. */
  get child(): ReadyChild | null {
    return this.#child;
  }

  /** The first process keeps the input of its lane open, so that the lane is asked to end. */
  close(): void {
    if (this.#notice !== null && this.#state === 'idle') this.#process.stdin?.write(encodeEnd(this.#child !== null));
    this.#retire('it was closed');
  }

  /** What an exec may do to its lane, as long as it is its own: by the time it lets go, the lane may run the next one. */
  #control(isCurrent: () => boolean): LaneControl {
    const whileCurrent = (act: () => void): void => {
      if (isCurrent()) act();
    };
    return {
      flow: (name) => whileCurrent(() => this.#process[name].resume()),
      kill: async () => whileCurrent(() => this.#retire('its command was killed')),
      release: () => whileCurrent(() => this.#retire('its reader gave up')),
    };
  }

  #answerFor(current: Current): Answer {
    return {
      opened: (trailer) => {
        current.opening = trailer;
        current.process.opened(readOpening(trailer));
      },
      deliver: (name, bytes) => this.#deliver(name, bytes),
      isRead: () => !this.#process.stdout.isPaused() && !this.#process.stderr.isPaused(),
      ended: (trailer, late) => void this.#finish(current, readStatus(trailer), late),
      lost: (why) => {
        current.process.lost(
          new CaissonError('unavailable', 'the lane that ran the command is gone, so its end is not known'),
        );
        current.process.proved({ is: 'cut', why: `the lane that ran it has ended: ${why}` });
        current.process.endStreams();
        this.#retire(why);
      },
    };
  }

  #deliver(name: StreamName, bytes: Buffer): void {
    if (this.#current === null) return;
    if (!this.#current.process[name].push(bytes)) this.#process[name].pause();
  }

  /** An idle lane that speaks is not to be trusted. What it says reaches no reader. */
  #receive(name: StreamName, chunk: Buffer): void {
    if (this.#exchange === null) this.#retire('it spoke while idle');
    else this.#exchange.feed(name, chunk);
  }

  /** Both marks are there. What follows them is a holder's, or else the lane is not what it was. */
  async #finish(current: Current, status: Status, late: Late): Promise<void> {
    this.#exchange = null;
    const isLong = performance.now() - this.#startedAt > longRunMs;
    const suspects = isLong ? 'all' : status.suspects;
    const held = suspects === 'all' || suspects.length > 0;
    const look = held ? this.#prepareLook(late) : null;
    if (!held && late.stdout.length + late.stderr.length > 0) this.#retire('it spoke behind the end of its command');
    const { killsBefore, opening } = current;
    const seen = { memory: this.#surroundings.memory, killsBefore };
    current.process.ended(await endWithMemory({ exitCode: status.exitCode, opening }, seen));
    if (look !== null && !(await this.#verifiedIdle(current.process, look, suspects))) return;
    current.process.proved({ is: 'ended' });
    current.process.endStreams();
    this.#current = null;
    // Such a lane ends: the signal may have met the child before it was the command.
    if (current.toChild && status.exitCode > 128) this.#retire('the child that took its command was killed');
    if (this.#isDying) this.#retire('its shell ended');
    if (this.#isRetired()) return;
    this.#state = 'idle';
    for (const name of ['stdout', 'stderr'] as const) this.#process[name].resume();
    this.#surroundings.onChange(this);
  }

  /**
   * Reads what holders write from now on, up to the answer of one look at them: no byte of a lane's own passes for theirs.
   * Where some still hold a stream, the next look is prepared before another byte can arrive.
   */
  #prepareLook(late: Late): Look {
    this.#state = 'checking';
    const nonce = newNonce();
    const { promise, resolve } = Promise.withResolvers<Looked | null>();
    this.#exchange = new Exchange(
      { nonce, notice: this.#notice, form: statusForm },
      {
        deliver: (name, bytes) => this.#deliver(name, bytes),
        ended: (trailer, after) => {
          const { seen, suspects } = readStatus(trailer);
          this.#exchange = null;
          resolve({ seen, suspects, next: suspects.length === 0 ? null : this.#prepareLook(after) });
        },
        lost: (why) => {
          resolve(null);
          this.#retire(why);
        },
      },
    );
    for (const name of ['stdout', 'stderr'] as const) this.#exchange.feed(name, late[name]);
    return { nonce, answer: promise };
  }

  /** The streams of the exec stay open while a process holds them, and its proof names that process. */
  async #verifiedIdle(process: LaneProcess, first: Look, asked: readonly number[] | 'all'): Promise<boolean> {
    let suspects = asked;
    let look = first;
    for (let count = 0; ; count += 1) {
      await sleep(recheckPausesMs[count] ?? laterRecheckMs, undefined, { ref: false });
      if (!this.#isRetired()) this.#process.stdin?.write(encodeAgain(look.nonce, suspects));
      const looked = this.#isRetired() ? null : await look.answer;
      if (looked === null) {
        // Its own end was seen, so all that it wrote is here; what holders write is no longer read.
        process.proved({ is: 'ended' });
        return false;
      }
      if (looked.next === null) return true;
      if (count + 1 === recheckPausesMs.length) {
        judge(process, looked.seen);
        if (looked.seen.length > 0) this.#surroundings.onOutlived();
      }
      ({ suspects } = looked);
      look = looked.next;
    }
  }

  async #dying(why: string): Promise<void> {
    if (this.#isDying) return;
    this.#isDying = true;
    if (this.#state !== 'idle') await lastWords(this.#process, () => this.#isRetired());
    this.#retire(why);
  }

  #isRetired(): boolean {
    return this.#state === 'retired';
  }

  #retire(why: string): void {
    if (this.#state === 'retired') return;
    this.#state = 'retired';
    const exchange = this.#exchange;
    this.#exchange = null;
    exchange?.lose(why);
    this.#current?.process.endStreams();
    this.#process.stdin?.end();
    this.#process.release();
    this.#surroundings.onChange(this);
  }
}
