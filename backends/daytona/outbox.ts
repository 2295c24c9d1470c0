/** Frames for carry.sh. Those that matter are numbered and kept until they have arrived for sure. */

/** A terminal takes that much even when what reads it is busy. */
const maxBytes = 16 * 1024;
const textBytes = 32 * 1024;
const maxOnTheWay = 3;

interface Numbered {
  readonly n: number;
  readonly frame: Buffer;
}

export class Outbox {
  readonly #text: readonly Numbered[];
  #input: Numbered[] = [];
  #signals: Numbered[] = [];
  #inputs = 0;
  #signalled = 0;
  #waiting: (() => void)[] = [];
  #over = false;
  /** Sends a frame at once; `null` without a connection. */
  #send: ((frame: Buffer) => void) | null = null;

  constructor(text: Buffer) {
    const parts = Math.max(1, Math.ceil(text.length / textBytes));
    this.#text = Array.from({ length: parts }, (_, index) => {
      const bytes = text.subarray(index * textBytes, (index + 1) * textBytes);
      const n = index + 1;
      const head = Buffer.from(`L ${n} ${bytes.length}${n === parts ? ' last' : ''}\n`);
      return { n, frame: Buffer.concat([head, bytes]) };
    });
  }

  /** The text, from the part on that has not arrived. */
  begin(send: (frame: Buffer) => void, arrived: number): void {
    this.#send = send;
    for (const { n, frame } of this.#text) if (n > arrived) send(frame);
    this.resume(send, { input: 0, signal: 0 });
  }

  /** The text has arrived; of the rest, what comes after these numbers is sent again. */
  resume(send: (frame: Buffer) => void, arrived: { readonly input: number; readonly signal: number }): void {
    this.#send = send;
    for (const { n, frame } of this.#input) if (n > arrived.input) send(frame);
    for (const { n, frame } of this.#signals) if (n > arrived.signal) send(frame);
  }

  pause(): void {
    this.#send = null;
  }

  /** `done` is called when the next bytes may follow. */
  input(bytes: Buffer, done: () => void): void {
    if (this.#over) return done();
    if (this.#input.length >= maxOnTheWay) return void this.#waiting.push(() => this.input(bytes, done));
    const piece = bytes.subarray(0, maxBytes);
    const n = (this.#inputs += 1);
    this.#add(this.#input, n, Buffer.concat([Buffer.from(`I ${n} ${piece.length}\n`), piece]));
    if (piece.length === bytes.length) done();
    else this.input(bytes.subarray(maxBytes), done);
  }

  end(): void {
    const n = (this.#inputs += 1);
    this.#add(this.#input, n, Buffer.from(`E ${n}\n`));
  }

  signal(name: string, pid: number, born: string): void {
    const n = (this.#signalled += 1);
    this.#add(this.#signals, n, Buffer.from(`S ${n} ${name} ${pid} ${born}\n`));
    this.#signals = this.#signals.slice(-8);
  }

  /** Input up to here has been passed on. */
  passed(n: number): void {
    this.#input = this.#input.filter((each) => each.n > n);
    for (const next of this.#waiting.splice(0)) next();
  }

  /** Nothing is kept or sent any more, and no writer waits. */
  give(): void {
    this.#over = true;
    this.passed(Number.MAX_SAFE_INTEGER);
  }

  #add(to: Numbered[], n: number, frame: Buffer): void {
    if (this.#over) return;
    to.push({ n, frame });
    this.#send?.(frame);
  }
}
