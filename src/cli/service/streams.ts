/** The stdin of an exec of the client as a stream of Node. */
import { Writable } from 'node:stream';
import type { ByteSink, ClientRunning } from '../../client/types.ts';
import type { CommandRunning } from '../world.ts';

export function withInput<Client extends ClientRunning>({
  stdin,
  ...rest
}: Client): Omit<Client, 'stdin'> & Pick<CommandRunning, 'stdin'> {
  return { ...rest, stdin: stdin === null ? null : writableOf(stdin) };
}

function writableOf(sink: ByteSink): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, settle) => void sink.write(bytes).then(() => settle(), settle),
    final: (settle) => void sink.end().then(() => settle(), settle),
  });
}
