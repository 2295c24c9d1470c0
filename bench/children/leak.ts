/** Arguments: image, cycles. Create, exec, destroy again and again; what there is after a first part, and at the end. */
import { readdir, readlink } from 'node:fs/promises';
import { openPlace, request, withSandbox, type BenchPlace } from '../place.ts';

const [image = '', cycles = ''] = process.argv.slice(2);
const place = await openPlace(image);
try {
  const label = await ownLabel(place);
  await repeat(place, Math.max(10, Number(cycles) * 0.1));
  const before = await held();
  await repeat(place, Number(cycles));
  const after = await held();
  const leftContainers = (await place.docker.listContainers({ all: true, filters: { label: [label] } })).length;
  process.stdout.write(JSON.stringify({ ...prefix('before', before), ...prefix('after', after), leftContainers }));
} finally {
  await place.close();
}

/** Collects now and then, since garbage that the collector has not reached yet is not growth. */
async function repeat(at: BenchPlace, times: number): Promise<void> {
  for (let cycle = 0; cycle < times; cycle++) {
    await at.caisson.run({ ...request(at), command: ['true'] });
    if (cycle % 50 === 0) await globalThis.gc?.({ execution: 'async' });
  }
}

interface ProcessUsage {
  readonly rss: number;
  readonly heap: number;
  readonly sockets: number;
}

/** After what is pending has had time to go. */
async function held(): Promise<ProcessUsage> {
  await new Promise((resolve) => setTimeout(resolve, 3000));
  for (let turn = 0; turn < 3; turn++) await globalThis.gc?.({ execution: 'async' });
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed, sockets: await openSockets() };
}

async function openSockets(): Promise<number> {
  const targets = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** What marks the containers of this state directory, and no other's. */
async function ownLabel(at: BenchPlace): Promise<string> {
  return await withSandbox(at, async (_task, id) => {
    const { Labels } = (await at.docker.getContainer(id).inspect()).Config;
    return `caisson.instance=${Labels['caisson.instance'] ?? 'missing'}`;
  });
}

function prefix(word: string, values: ProcessUsage): Record<string, number> {
  return { [`${word}Rss`]: values.rss, [`${word}Heap`]: values.heap, [`${word}Sockets`]: values.sockets };
}
