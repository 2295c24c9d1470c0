/** Many connections that come at once, at a service whose turns of the event loop take long. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { Doors } from '../../src/http/doors.ts';

const turnMs = 30;
const knocks = 64;

async function serverWith(doors: number): Promise<{ readonly server: Server; readonly doors: Doors }> {
  const server = createServer((_request, reply) => void reply.end('ok'));
  const opened = new Doors(server, doors);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    opened.close();
    server.close();
    server.closeAllConnections();
  });
  return { server, doors: opened };
}

/** Until the signal, each turn of the loop takes so long. */
function keepBusy(signal: AbortSignal): void {
  const endsAt = performance.now() + turnMs;
  while (performance.now() < endsAt);
  if (!signal.aborted) setImmediate(() => keepBusy(signal));
}

/** How many turns it takes until all of another process have an answer; their connections stay open. */
async function knock(server: Server): Promise<number> {
  const over = new AbortController();
  const client = fork(new URL('knocks.process.ts', import.meta.url), [
    String(Object(server.address() satisfies AddressInfo | string | null).port),
    String(knocks),
  ]);
  onTestFinished(() => void client.kill('SIGKILL'));
  await once(client, 'message');
  const startedMs = performance.now();
  client.send('begin');
  keepBusy(over.signal);
  await once(client, 'message');
  over.abort();
  return (performance.now() - startedMs) / turnMs;
}

it('a service with many connections accepts several of them in a turn of its event loop', async () => {
  const { server, doors } = await serverWith(15);
  await knock(server);
  await expect.poll(() => doors.count, { timeout: 20_000 }).toBe(15);
  expect(await knock(server)).toBeLessThan(knocks / 2);
});

it('a service that closes accepts nothing by any of its handles', async () => {
  const { server, doors } = await serverWith(4);
  const { port } = Object(server.address());
  await knock(server);
  await expect.poll(() => doors.count, { timeout: 20_000 }).toBe(4);
  doors.close();
  server.close();
  await sleep(50);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
});

it('connections of all handles together are at most those of the server', async () => {
  const { server, doors } = await serverWith(4);
  await knock(server);
  await expect.poll(() => doors.count, { timeout: 20_000 }).toBe(4);
  server.maxConnections = knocks;
  const { port } = Object(server.address());
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
});
