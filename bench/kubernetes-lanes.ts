/** What open lanes in a cluster take: of the memory of this process and of the API server, which carries each of them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '../test/engines/kubernetes.ts';
import { type Figure, judge } from './figure.ts';
import type { KubernetesPlace } from './kubernetes-place.ts';

/** More pods than these start slowly on two processors, and more than 16 lanes in one are not opened. */
const sandboxes = 20;
const lanesEach = 10;
/** Each keeps its lane until the others of its sandbox are open. */
const busySeconds = 15;
/** On a busy machine a lane opens too late for the command that wanted it, which goes another way. */
const rounds = 4;

type Opening = Pick<KubernetesPlace, 'caisson' | 'cluster'>;

/** The baseline is before any of the sandboxes. */
export async function lanesOpen({ caisson, cluster }: Opening): Promise<readonly Figure[]> {
  const tasks = Array.from({ length: sandboxes }, (_, index) => `lanes-${index}`);
  const before = await used(cluster);
  await Promise.all(tasks.map((taskId) => caisson.run({ taskId, persistent: false, command: ['true'] })));
  const after = await opened({ caisson, cluster }, tasks, before.lanes + sandboxes * lanesEach);
  await Promise.all(tasks.map((taskId) => caisson.sandboxes.remove(taskId)));
  const n = after.lanes - before.lanes;
  const grown = (figure: string, unit: string, key: 'ownBytes' | 'serverBytes'): Figure => {
    const [ours, baseline] = [after[key] / 1e6, before[key] / 1e6];
    return judge({ figure, unit, ours, baseline, ratio: ours / baseline, n }, null);
  };
  return [grown('service, lanes open', 'MB', 'ownBytes'), grown('API server, lanes open', 'MB', 'serverBytes')];
}

/** What is used when so many lanes are open, or after the last round. */
async function opened({ caisson, cluster }: Opening, tasks: readonly string[], wanted: number): Promise<Used> {
  for (let round = 1; ; round += 1) {
    const ends: Promise<unknown>[] = [];
    for (const taskId of tasks) ends.push(...(await openLanes(caisson, taskId)));
    await Promise.all(ends);
    const now = await used(cluster);
    if (now.lanes >= wanted || round === rounds) return now;
  }
}

/** One after the other: a command waits for a lane while all are busy. The ends of the commands. */
async function openLanes(caisson: KubernetesPlace['caisson'], taskId: string): Promise<readonly Promise<unknown>[]> {
  const ends: Promise<unknown>[] = [];
  for (let lane = 0; lane < lanesEach; lane += 1) {
    const running = await caisson.exec({ taskId, existing: true, command: ['sleep', String(busySeconds)] });
    running.stdout.resume();
    running.stderr.resume();
    ends.push(running.exit);
  }
  return ends;
}

interface Used {
  readonly ownBytes: number;
  readonly serverBytes: number;
  /** Connections to containers, by the count of the API server. */
  readonly lanes: number;
}

async function used(cluster: Cluster): Promise<Used> {
  const metrics = await cluster.kubectl(['get', '--raw', '/metrics']);
  const counted = metrics.matchAll(/^apiserver_longrunning_gauge\{.*subresource="(?:exec|attach)".*\} (\d+)$/gm);
  const lanes = [...counted].reduce((sum, [, count]) => sum + Number(count), 0);
  return { ownBytes: process.memoryUsage.rss(), serverBytes: await serverBytes(cluster), lanes };
}

/** Not known of a cluster that a person provides. */
async function serverBytes({ pid, directory }: Cluster): Promise<number> {
  if (directory === '') return Number.NaN;
  const server = (await readFile(join(directory, 'run/apiserver.pid'), 'utf8')).trim();
  // The numbers of processes are those of its namespace.
  const status = await readFile(`/proc/${pid}/root/proc/${server}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) * 1024;
}
