import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { proxyFlags } from '../../src/egress/start.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf, judge, median, pairedRatios } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { bundled, startWorker } from '../worker.ts';

const bulkBytes = 256 * 1024 * 1024;
const many = 500;

export const egress: Bench = {
  name: 'egress',
  about: 'a request, one stream and 500 tunnels through forwarder and proxy, against direct ones',
  async *run({ quick }) {
    const directory = mkdtempSync(join(tmpdir(), 'caisson-bench-'));
    const path = join(directory, 'door');
    const origin = await startWorker('origin', [String(bulkBytes)]);
    const port = Number(origin.said['port']);
    const program = { file: await bundled('door', directory), flags: proxyFlags };
    const door = await startWorker('door', [path, String(port)], program);
    const { place = '', pid = '' } = door.said;
    const forwarder = await startForwarder(path);
    const through = (): Promise<Socket> => tunnel(forwarder.port, place);
    const direct = (): Promise<Socket> => opened(port);
    try {
      const rounds = quick ? { warmUp: 10, rounds: 40 } : { warmUp: 100, rounds: 500 };
      const once = (target: string, to: number) => () => timed(async () => await answered(await opened(to), target));
      const requests = await interleave(once(`http://${place}/`, forwarder.port), once('/', port), rounds);
      yield* figuresOf('request', requests, { unit: 'ms', target: null });
      const above = median(requests.ours) - median(requests.baseline);
      yield judge(
        { figure: 'request, above', unit: 'ms', ours: above, baseline: null, ratio: null, n: requests.ours.length },
        { of: 'ours', is: '<=', value: 1.5 },
      );
      const tunnels = async (when: string, value: number | null): Promise<Figure> => {
        const sockets = await Promise.all(Array.from({ length: many }, through));
        const figure = {
          figure: `${many} tunnels${when}`,
          unit: 'MB',
          ours: memoryOf(pid),
          baseline: null,
          ratio: null,
          n: 1,
        };
        for (const socket of sockets) socket.destroy();
        return judge(figure, value === null ? null : { of: 'ours', is: '<', value });
      };
      yield await tunnels('', 150);
      const rate = (open: () => Promise<Socket>) => async () => {
        const socket = await open();
        return bulkBytes / 1e3 / (await timed(async () => await answered(socket, '/bulk')));
      };
      const bulk = await interleave(rate(through), rate(direct), { warmUp: 1, rounds: quick ? 2 : 7 });
      const streamed = {
        figure: 'stream',
        unit: 'MB/s',
        ours: median(bulk.ours),
        baseline: median(bulk.baseline),
        ratio: median(pairedRatios(bulk)),
        n: bulk.ours.length,
      };
      yield judge(streamed, { of: 'ratio', is: '>=', value: 0.3 });
      yield judge({ ...streamed, figure: 'stream, alone' }, { of: 'ours', is: '>=', value: 300 });
      yield await tunnels(', after streams', null);
    } finally {
      forwarder.close();
      for (const worker of [door, origin]) await worker.close();
      rmSync(directory, { recursive: true });
    }
  },
};

async function startForwarder(path: string): Promise<{ readonly port: number; readonly close: () => void }> {
  const program = new URL('../../images/egress/files/forwarder.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, path, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [ready]: unknown[] = await once(child.stdout, 'data');
  return { port: Number(String(ready).slice('ready '.length)), close: () => void child.kill('SIGKILL') };
}

async function opened(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return socket;
}

async function tunnel(port: number, place: string): Promise<Socket> {
  const socket = await opened(port);
  socket.write(`CONNECT ${place} HTTP/1.1\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

/** Until the server closes. */
async function answered(socket: Socket, target: string): Promise<void> {
  const host = target.startsWith('http:') ? target.slice('http://'.length, -1) : 'origin';
  socket.resume().write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
}

/** Megabytes that are in memory, of a process of this host. */
function memoryOf(pid: string): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
