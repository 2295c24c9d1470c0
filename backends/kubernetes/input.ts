/** The stdin of a command as a stream. */
import { Writable } from 'node:stream';
import { endFrame, framed, pieces } from './framing.ts';
import type { Wire } from './wire.ts';

const bufferBytes = 256 * 1024;

/** How bytes and their end travel. */
interface Way {
  readonly write: (chunk: Buffer, done: (error?: Error | null) => void) => void;
  readonly end: () => void;
}

/** Frames of boot.sh, whose end is one too: v4 has no other. */
export function framedInput(wire: Wire): Writable {
  return input(wire, {
    write: (chunk, done) => wire.writeAll(pieces(chunk).map(framed), done),
    end: () => wire.write(endFrame),
  });
}

/** Bytes as they are; the end by the protocol's own frame where it has one. */
export function plainInput(wire: Wire): Writable {
  return input(wire, { write: (chunk, done) => wire.writeAll(pieces(chunk), done), end: () => wire.endInput() });
}

function input({ marked }: Wire, { write, end }: Way): Writable {
  let isEnded = false;
  const endOnce = (): void => {
    if (!isEnded) end();
    isEnded = true;
  };
  const stdin = new Writable({
    highWaterMark: bufferBytes,
    write: (chunk: Buffer, _encoding, done) => (isEnded || chunk.length === 0 ? done() : write(chunk, done)),
    final: (done) => {
      endOnce();
      done();
    },
    destroy: (error, done) => {
      endOnce();
      done(error);
    },
  });
  void marked.then(endOnce);
  // The command may close its end at any time; by the contract that does not count as a failure.
  stdin.on('error', () => undefined);
  return stdin;
}
