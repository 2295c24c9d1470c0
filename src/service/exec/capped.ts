/** Streams of a command of which only the beginning is passed on. What follows is read and dropped, so that it can end. */
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Exit, Running, StreamSummary } from '../api.ts';

export function capped(running: Running, bytes: number): Running {
  const [stdout, stderr] = [new Cut(bytes), new Cut(bytes)];
  const passed = [pass(running.stdout, stdout), pass(running.stderr, stderr)];
  const exit = running.exit.then(async (ended): Promise<Exit> => {
    await Promise.all(passed);
    const cuts = Object.entries({ stdout, stderr }).flatMap(([name, { isCut }]) => (isCut ? [name] : []));
    return {
      ...ended,
      stdout: summary(ended.stdout, stdout),
      stderr: summary(ended.stderr, stderr),
      notes: [...ended.notes, ...cuts.map((name) => `${name} was cut after ${bytes} bytes: the profile is strict`)],
    };
  });
  return { ...running, stdout, stderr, exit };
}

/** Never slows its source: what it keeps fits into its buffer, whether it is read or not. */
class Cut extends Transform {
  #left: number;
  isCut = false;

  constructor(bytes: number) {
    super({ readableHighWaterMark: bytes + 1 });
    this.#left = bytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, kept?: Buffer) => void): void {
    const kept = chunk.subarray(0, this.#left);
    this.isCut ||= kept.length < chunk.length;
    this.#left -= kept.length;
    if (kept.length > 0) done(null, kept);
    else done(null);
  }
}

async function pass(source: Readable, target: Cut): Promise<void> {
  try {
    // A reader that is late must not hold the exit back: only the source is waited for.
    await pipeline(source, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) target.write(chunk);
    });
    target.end();
  } catch {
    target.end(); // how the source failed is in the exit
  }
}

const summary = (stream: StreamSummary, { isCut }: Cut): StreamSummary => ({
  ...stream,
  truncated: stream.truncated || isCut,
});
