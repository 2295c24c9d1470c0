/** Streams of the client as those of Node. */
import { Readable, Writable } from 'node:stream';
import type { ByteSink, ByteSource, ClientRunning } from '../../client/types.ts';
import type { Running } from '../../service/api.ts';

type Streams = Pick<Running, 'stdin' | 'stdout' | 'stderr'>;

export function nodeStreams<Client extends ClientRunning>({
  stdin,
  stdout,
  stderr,
  ...rest
}: Client): Streams & Omit<Client, keyof Streams> {
  return {
    ...rest,
    stdin: stdin === null ? null : writableOf(stdin),
    stdout: readableOf(stdout),
    stderr: readableOf(stderr),
  };
}

function readableOf(source: ByteSource): Readable {
  return Readable.from(source, { objectMode: false });
}

function writableOf(sink: ByteSink): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => void sink.write(bytes).then(() => done(), done),
    final: (done) => void sink.end().then(() => done(), done),
  });
}
