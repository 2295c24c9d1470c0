/** Bytes in both directions between two connections, each as fast as the slower one takes them. */
import type { Duplex } from 'node:stream';

/** Resolves when both are closed. Written by hand: `pipe` takes half as many bytes a second. */
export async function relay(client: Duplex, server: Duplex): Promise<void> {
  const closed = Promise.all([closing(client, server), closing(server, client)]);
  flow(client, server);
  flow(server, client);
  await closed;
}

function flow(from: Duplex, to: Duplex): void {
  from.on('data', (chunk: Buffer) => {
    if (!to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  from.on('end', () => to.end());
  from.resume();
}

/** A connection that is gone takes the other one along, after what is already on its way when it ended in order. */
function closing(one: Duplex, other: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    if (one.errored !== null || !one.readableEnded || other.writableFinished) other.destroy();
    else other.once('finish', () => other.destroy());
    resolve();
  };
  one.on('error', () => undefined);
  if (one.closed) settle();
  else one.once('close', settle);
  return promise;
}
