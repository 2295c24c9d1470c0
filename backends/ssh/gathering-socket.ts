import { Socket } from 'node:net';

type Written = (error?: Error | null) => void;

/**
 * ssh2 writes a packet in three pieces, each of which would wake the host by itself, since nothing waits for more
 * (setNoDelay). Here all that is said in one turn of the program leaves at once.
 */
export class GatheringSocket extends Socket {
  #isGathering = false;

  constructor() {
    super();
    // Node gives a socket that connects its own `write`, in front of this one.
    this.once('connect', () => Reflect.deleteProperty(this, 'write'));
  }

  override write(chunk: Uint8Array | string, written?: Written): boolean;
  override write(chunk: string, encoding?: BufferEncoding, written?: Written): boolean;
  override write(chunk: Uint8Array | string, second?: BufferEncoding | Written, third?: Written): boolean {
    this.#gather();
    if (typeof second === 'string') return super.write(String(chunk), second, third);
    return super.write(chunk, second);
  }

  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.cork();
    process.nextTick(() => {
      this.#isGathering = false;
      this.uncork();
    });
  }
}
