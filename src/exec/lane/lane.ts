/**
 * One warm shell in a sandbox, and the exec that it runs.
 *
 *   opening -> idle -> running -> idle
 *                         |  \-> checking -> idle      somebody held a stream at the end; asked again, nobody does
 *                         v           |
 *                      retired <------+                it died, was forged, still held, or said something while idle
 *
 * A request is written only to a lane that is verified idle: what is queued in its stdin could be read by a command.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, ProcessEnd, Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { newNonce } from '../random.ts';
import { type LaneControl, LaneProcess } from './lane-process.ts';
import { encodeAgain, encodeNow, encodeReady, encodeRequest, type LaneCommand } from './request.ts';
import { Scanner } from './scanner.ts';
import { laneScript } from './script.ts';

type State = 'opening' | 'idle' | 'running' | 'checking' | 'retired';
type StreamName = 'stdout' | 'stderr';

const statusForm = /^:(\d{1,3}):((?: \??\d{1,10})*)$/;
const helloForm = /^:\d{1,10}\+?$/;
const emptyForm = /^$/;
/**
 * A child that is just dying, or has forked and not yet given up its streams, is asked again after these pauses: often
 * enough that its reader, who takes it for a background process after 250 ms, sees the end of a stream as directly.
 */
const recheckPausesMs = [2, 10, 30, 40, 40, 40, 40, 40];
/** Whoever holds on longer is a background process: the reader of the exec decides how long to wait for it. */
const laterRecheckMs = 500;
/** Long enough to wrap the pid counter: a range of pids proves nothing then, and everything is looked at. */
const longRunMs = 2_000;
const openPatienceMs = 20_000;
const memoryGraceMs = 100;
const lastWordsMs = 50;

export interface Surroundings {
  /** The lane can take a request, or never will again. */
  readonly onChange: (lane: Lane) => void;
  readonly memory?: Sandbox['memory'];
}

export class Lane {
  readonly #process: Process;
  readonly #surroundings: Surroundings;
  #state: State = 'opening';
  #scanners: Partial<Record<StreamName, Scanner>> = {};
  /** What the lane said when it opened; heard again, it is another lane that says it. */
  #greeting: string | null = null;
  #trailer: string | null = null;
  #pending = 0;
  #current: LaneProcess | null = null;
  #startedAt = 0;
  #canStandReady = false;
  /** The child that waits in it for a request, and by what the end of that will be known. */
  #child: { readonly tag: string; readonly nonce: string; readonly since: number } | null = null;
  #children = 0;
  /** Whether the running exec was given to such a child. */
  #toChild = false;
  #killsBefore = 0;
  #answer: ((trailer: string | null) => void) | null = null;

  constructor(process: Process, surroundings: Surroundings) {
    this.#process = process;
    this.#surroundings = surroundings;
    process.stdin?.on('error', () => this.#retire('its input closed'));
    for (const name of ['stdout', 'stderr'] as const) {
      process[name].on('data', (chunk: Buffer) => this.#receive(name, chunk));
      process[name].on('error', () => this.#retire(`its ${name} broke`));
      process[name].on('end', () => this.#dying(`its ${name} ended`));
    }
    process.wait().then(
      () => this.#dying('its shell ended'),
      () => this.#dying('its shell cannot be seen any more'),
    );
  }

  get state(): State {
    return this.#state;
  }

  /** When the running exec began, by the monotonic clock; how busy lanes are told apart. */
  get startedAt(): number {
    return this.#startedAt;
  }

  static command(nonce: string): readonly [string, ...string[]] {
    return ['sh', '-c', laneScript, 'lane', nonce];
  }

  /** Waits for the hello of a shell that was started with `command(nonce)`. Throws when it does not come. */
  async open(nonce: string): Promise<void> {
    const hello = this.#expect(nonce, { stdout: helloForm, stderr: emptyForm });
    const late = sleep(openPatienceMs, null, { ref: false });
    const answer = await Promise.race([hello, late]);
    if (answer === null) {
      this.close();
      throw new CaissonError(
        'not_supported',
        'no lane can be opened here: it needs sh, setsid and /proc in the sandbox',
      );
    }
    this.#greeting = nonce;
    this.#canStandReady = answer.endsWith('+');
    this.#state = 'idle';
  }

  /** The lane must be idle. */
  run(request: LaneCommand): LaneProcess {
    if (this.#state !== 'idle') throw new CaissonError('internal', `a request to a lane that is ${this.#state}`);
    const child = this.#child;
    this.#child = null;
    this.#toChild = child !== null;
    const nonce = child?.nonce ?? newNonce();
    this.#state = 'running';
    this.#startedAt = performance.now();
    this.#killsBefore = this.#surroundings.memory?.kills() ?? 0;
    const current: LaneProcess = new LaneProcess(this.#control(() => this.#current === current));
    this.#current = current;
    void this.#expect(nonce, { stdout: statusForm, stderr: emptyForm }).then((trailer) =>
      this.#finish(current, trailer),
    );
    const bytes = child === null ? encodeRequest({ ...request, nonce }) : encodeNow(child.tag, request);
    this.#process.stdin?.write(bytes);
    return current;
  }

  /** Starts the process of the next command ahead, where the shell can, unless it is there or the lane is not idle. */
  standReady(): void {
    if (!this.#canStandReady || this.#state !== 'idle' || this.#child !== null) return;
    this.#children += 1;
    this.#child = { tag: `r${this.#children}`, nonce: newNonce(), since: performance.now() };
    this.#process.stdin?.write(encodeReady(this.#child.tag, this.#child.nonce));
  }

  /** For how long it has stood ready, in milliseconds; `null` when it does not. */
  get readyMs(): number | null {
    return this.#child === null ? null : performance.now() - this.#child.since;
  }

  close(): void {
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

  /** Resolves with stdout's trailer when both marks were seen, with null when the lane is no more. */
  #expect(nonce: string, forms: Readonly<Record<StreamName, RegExp>>): Promise<string | null> {
    const deliver = (name: StreamName) => (bytes: Buffer) => this.#deliver(name, bytes);
    this.#scanners = {
      stdout: new Scanner(nonce, forms.stdout, { deliver: deliver('stdout'), greeting: this.#greeting }),
      stderr: new Scanner(nonce, forms.stderr, { deliver: deliver('stderr'), greeting: this.#greeting }),
    };
    this.#pending = 2;
    this.#trailer = null;
    return new Promise((resolve) => {
      this.#answer = resolve;
    });
  }

  #deliver(name: StreamName, bytes: Buffer): void {
    if (this.#current === null) return;
    if (!this.#current[name].push(bytes)) this.#process[name].pause();
  }

  #receive(name: StreamName, chunk: Buffer): void {
    const scanner = this.#scanners[name];
    if (scanner === undefined) {
      this.#late(name, chunk);
      return;
    }
    const scanned = scanner.feed(chunk);
    if (scanned.kind === 'forged') this.#retire('a command forged its end mark');
    if (scanned.kind === 'died') this.#retire('a command killed it, and its guardian replaced it');
    if (scanned.kind !== 'end') return;
    delete this.#scanners[name];
    if (name === 'stdout') this.#trailer = scanned.trailer;
    if (scanned.rest.length > 0) this.#late(name, scanned.rest);
    this.#pending -= 1;
    if (this.#pending === 0) this.#settle(this.#trailer);
  }

  /** Bytes after the mark come from a process that outlived its command; an idle lane that speaks is not to be trusted. */
  #late(name: StreamName, bytes: Buffer): void {
    if (this.#current === null) this.#retire('it spoke while idle');
    else this.#deliver(name, bytes);
  }

  #settle(trailer: string | null): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(trailer);
  }

  async #finish(current: LaneProcess, trailer: string | null): Promise<void> {
    if (trailer === null) {
      current.lost(new CaissonError('unavailable', 'the lane that ran the command is gone, so its end is not known'));
      current.endStreams();
      return;
    }
    const [, status = '', held = ''] = statusForm.exec(trailer) ?? [];
    current.ended(await this.#endOf(status));
    const holders = performance.now() - this.#startedAt > longRunMs ? 'all' : pidsOf(held);
    if (holders.length > 0 && !(await this.#verifiedIdle(holders))) return;
    this.#current = null;
    current.endStreams();
    // Such a lane ends: the signal may have met the child before it was the command.
    if (this.#toChild && Number(status) > 128) this.#retire('the child that took its command was killed');
    if (this.#isRetired()) return;
    this.#state = 'idle';
    for (const name of ['stdout', 'stderr'] as const) this.#process[name].resume();
    this.#surroundings.onChange(this);
  }

  /** The word that the kernel killed for memory comes by another way than the end, and may come a little later. */
  async #endOf(status: string): Promise<ProcessEnd> {
    const { memory } = this.#surroundings;
    const killed = (): boolean => (memory?.kills() ?? 0) > this.#killsBefore;
    if (status === '137' && memory !== undefined && !killed()) await sleep(memoryGraceMs);
    return { exitCode: Number(status), signal: null, outOfMemory: killed() };
  }

  /** The streams of the exec stay open while somebody holds them: that is what its reader is told by. */
  async #verifiedIdle(asked: readonly number[] | 'all'): Promise<boolean> {
    this.#state = 'checking';
    let holders = asked;
    for (let look = 0; ; look += 1) {
      await sleep(recheckPausesMs[look] ?? laterRecheckMs, undefined, { ref: false });
      if (this.#isRetired()) return false;
      const nonce = newNonce();
      const answer = this.#expect(nonce, { stdout: statusForm, stderr: emptyForm });
      this.#process.stdin?.write(encodeAgain(nonce, holders));
      const trailer = await answer;
      if (trailer === null) return false;
      holders = pidsOf(statusForm.exec(trailer)?.[2] ?? '');
      if (holders.length === 0) return true;
    }
  }

  /** What the last command wrote may still be on its way when the shell is gone. */
  #dying(why: string): void {
    if (this.#state === 'idle') this.#retire(why);
    else setTimeout(() => this.#retire(why), lastWordsMs);
  }

  #isRetired(): boolean {
    return this.#state === 'retired';
  }

  #retire(_why: string): void {
    if (this.#state === 'retired') return;
    this.#state = 'retired';
    this.#scanners.stdout?.flush();
    this.#scanners.stderr?.flush();
    this.#scanners = {};
    this.#settle(null);
    this.#current?.endStreams();
    this.#process.stdin?.end();
    this.#process.release();
    this.#surroundings.onChange(this);
  }
}

function pidsOf(held: string): readonly number[] {
  return held
    .split(' ')
    .filter(Boolean)
    .map((word) => Number(word.replace('?', '')));
}
