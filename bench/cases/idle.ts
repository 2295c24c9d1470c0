import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import { judge, median } from '../figure.ts';
import { timed } from '../interleave.ts';
import { type BenchPlace, request } from '../place.ts';

const restMs = 20_000;
const together = 8;

/** Sandboxes that wait for a command: what each takes of this process and of the host, and what all of them cost at rest. */
export const idle: Bench = {
  name: 'idle',
  about: 'sandboxes that wait: memory and processes of each, processor of this process at rest, time of a list',
  async *run({ place: open, quick }) {
    const place = await open();
    const count = Number(process.env['CAISSON_BENCH_IDLE'] ?? (quick ? 10 : 100));
    await create(place, 'warm-up', 1);
    const before = used();
    const tasks = await create(place, 'idle', count);
    const after = used();
    const each = (name: string, unit: string, value: number) =>
      judge({ figure: name, unit, ours: value, baseline: null, ratio: null, n: count }, null);
    yield each('memory of the service for each', 'MB', (after.ownBytes - before.ownBytes) / count / 1e6);
    yield each('memory of the host for each', 'MB', (after.hostBytes - before.hostBytes) / count / 1e6);
    yield each('processes for each', 'processes', (after.processes - before.processes) / count);
    const began = process.cpuUsage();
    await sleep(quick ? restMs / 10 : restMs);
    const { user, system } = process.cpuUsage(began);
    yield each('processor at rest', '%', (user + system) / 10 / (quick ? restMs / 10 : restMs));
    const lists: number[] = [];
    for (let index = 0; index < 11; index += 1)
      lists.push(await timed(() => place.caisson.sandboxes.list({ limit: 1000 })));
    yield each('list', 'ms', median(lists));
    for (const task of [...tasks, 'warm-up-0']) await place.caisson.sandboxes.remove(task);
  },
};

async function create({ caisson, ...place }: BenchPlace, name: string, count: number): Promise<readonly string[]> {
  const tasks = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const left = [...tasks];
  const maker = async (): Promise<void> => {
    for (let taskId = left.pop(); taskId !== undefined; taskId = left.pop())
      await caisson.run({ ...request({ caisson, ...place }), taskId, command: ['true'] });
  };
  await Promise.all(Array.from({ length: together }, maker));
  return tasks;
}

/** The host's: what is not available of its memory, and how many processes it has (proc_meminfo(5)). */
function used() {
  const meminfo = readFileSync('/proc/meminfo', 'utf8');
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(meminfo)?.[1]);
  return {
    ownBytes: process.memoryUsage.rss(),
    hostBytes: (kilobytes('MemTotal') - kilobytes('MemAvailable')) * 1024,
    processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
  };
}
