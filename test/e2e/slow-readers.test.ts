/** Clients that do not read for a while, and many that wait: neither holds a command up, nor costs the service much memory. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { report } from '../counts.ts';
import { dockerHost } from '../engines/docker.ts';
import { makeHome, type Home } from './home.ts';
import { openOn, type Service } from './http-service.ts';
import { bytesOf, type Event } from './resuming.ts';

const stoppedMs = Number(process.env['CAISSON_LOAD_STOPPED_SECONDS'] ?? 3) * 1000;
const idle = 200;
const size = 20_000_000;
const maxIdleBytes = 20 * 2 ** 20;
const execs = '/v1/sandboxes/build/execs';
/** One that a reader can hold up writes more than all buffers on its way take. */
const command = ['sh', '-c', `head -c ${size} /dev/zero | tr '\\0' x`];

let home: Home;
let service: Service;
beforeAll(async () => {
  home = await makeHome(dockerHost());
  service = await openOn(home, 'docker');
}, 120_000);
afterAll(async () => {
  await service.ask('/v1/sandboxes/build', { method: 'DELETE' });
  await service.stop();
  await home[Symbol.asyncDispose]();
}, 60_000);

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${service.process.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

/** A connection of its own, which is not read until that is asked for. */
async function open(path: string, accept: string, body?: object): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${service.token}`, accept, 'content-type': 'application/json' };
  const method = body === undefined ? 'GET' : 'POST';
  const sending: ClientRequest = request(service.url + path, { method, headers, agent: false });
  sending.end(body === undefined ? undefined : JSON.stringify(body));
  const [response]: IncomingMessage[] = await once(sending, 'response');
  if (response?.statusCode !== 200) throw new Error(`${path}: ${response?.statusCode}`);
  return response.pause();
}

/** What a reader of either framing gets to see of the output: bytes, and what the stream reports as not kept. */
async function readAll(response: IncomingMessage): Promise<readonly Event[]> {
  const text = Buffer.concat(await response.toArray()).toString();
  const lines = text.split('\n').map((line) => line.replace(/^data: /, ''));
  return lines.filter((line) => line.startsWith('{')).map((line): Event => Object(JSON.parse(line)));
}

function sumOf(events: readonly Event[]): number {
  const gaps = events.map(({ type, bytes }) => (type === 'gap' ? Number(bytes) : 0));
  return bytesOf(events).length + gaps.reduce((sum, gap) => sum + gap, 0);
}

async function stateOf(execId: string): Promise<Readonly<Record<string, unknown>>> {
  return Object(await (await service.ask(`${execs}/${execId}`, { accept: 'application/json' })).json());
}

interface Watched {
  readonly socket: WebSocket;
  readonly events: readonly Event[];
}

/** Listens from the start: frames may come with the answer to the upgrade. */
async function watch(execId: string): Promise<Watched> {
  const headers = { authorization: `Bearer ${service.token}` };
  const at = `${service.url.replace('http', 'ws')}${execs}/${execId}/stdin`;
  const socket = new WebSocket(at, 'caisson.v1', { headers });
  const events: Event[] = [];
  socket.on('message', (data: Buffer) => events.push(Object(JSON.parse(data.toString()))));
  await once(socket, 'open');
  socket.pause();
  return { socket, events };
}

const title = `a reader that stops for ${stoppedMs / 1000} seconds does not hold its command, and then reads on`;
it.each(['application/x-ndjson', 'text/event-stream', 'websocket'])(
  `${title}: %s`,
  { timeout: 300_000 },
  async (form) => {
    const execId = `exec_stopped-${form.replaceAll(/[^a-z]/g, '-')}`;
    const before = await residentBytes();
    const isSocket = form === 'websocket';
    const response = await open(execs, isSocket ? 'application/x-ndjson' : form, { command, execId });
    const watched = isSocket ? await watch(execId) : null;
    if (isSocket) response.destroy();
    const startedAt = performance.now();
    await expect
      .poll(() => stateOf(execId), { timeout: stoppedMs, interval: 100 })
      .toMatchObject({
        exit: { reason: 'exited', exitCode: 0, stdout: { bytes: size, complete: true } },
      });
    const endedMs = performance.now() - startedAt;
    await sleep(Math.max(0, stoppedMs - endedMs));
    const held = (await residentBytes()) - before;
    const events = watched === null ? await readAll(response) : await frames(watched);
    report({ form, endedMs: Math.round(endedMs), readAfterMs: stoppedMs, moreRss: mebibytes(held) });
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 0 } });
    expect(sumOf(events)).toBe(size);
  },
);

async function frames({ socket, events }: Watched): Promise<readonly Event[]> {
  socket.resume();
  await once(socket, 'close');
  return events;
}

it(`${idle} idle streams add at most 20 MiB to the service's memory`, { timeout: 120_000 }, async () => {
  const waiting = { command: ['sleep', '200'], execId: 'exec_idle' };
  (await open(execs, 'application/x-ndjson', waiting)).destroy();
  const opened = async (count: number): Promise<readonly IncomingMessage[]> =>
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        open(`${execs}/exec_idle`, index % 2 === 0 ? 'application/x-ndjson' : 'text/event-stream'),
      ),
    );
  // The first streams and requests of a process have costs that further ones do not repeat.
  for (const stream of await opened(20)) stream.destroy();
  await sleep(1000);
  const before = await residentBytes();
  const streams = await opened(idle);
  // What a busy machine has not collected yet is not held by streams.
  let added = Infinity;
  for (let looks = 0; looks < 10 && added >= maxIdleBytes; looks += 1) {
    await sleep(5000);
    added = (await residentBytes()) - before;
  }
  report({ idleStreams: idle, rssBefore: mebibytes(before), moreRss: mebibytes(added) });
  const ends = streams.map((stream) => readAll(stream));
  await service.ask(`${execs}/exec_idle`, { method: 'DELETE' });
  for (const events of await Promise.all(ends)) expect(events.at(-1)).toMatchObject({ exit: { reason: 'canceled' } });
  expect(added).toBeLessThan(maxIdleBytes);
});
