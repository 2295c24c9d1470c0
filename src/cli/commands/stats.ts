import { toCaissonError } from '../../errors.ts';
import { everyItem, type Stats } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { formatBytes, formatDuration, plural } from '../format.ts';
import type { CommandApi } from '../world.ts';

interface Reading {
  readonly task: string;
  readonly stats: Stats;
}

export const stats = defineCommand({
  name: 'stats',
  summary: 'Show what sandboxes use now',
  about: `Without TASK, every sandbox that is ready; those whose places have no figures are counted on stderr.
caisson top shows them side by side, live.`,
  operands: [{ name: 'TASK', count: 'any' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['all that run', 'stats'],
    ['two of them', 'stats build test'],
  ],
  run: async ({ operands }, context) => {
    const service = await context.service();
    const tasks = operands.length > 0 ? operands : await readyTasks(service);
    const named = operands.length > 0;
    const readings = await Promise.all(tasks.map((task) => read(task, context, named)));
    const untold = readings.filter((reading) => reading === null).length;
    const known = readings.filter((reading) => reading !== null);
    if (context.json) await context.printJson(known.map(({ task, stats: figures }) => ({ taskId: task, ...figures })));
    else
      await context.printTable(
        ['TASK', 'CPU TIME', 'MEMORY', 'LIMIT', 'PROCESSES', 'RECEIVED', 'SENT'],
        known.map(row),
      );
    if (!named && untold > 0)
      context.notice(`${plural(untold, 'sandbox', 'sandboxes')} without figures: caisson top tells why`);
    return named && untold > 0 ? 1 : 0;
  },
});

async function readyTasks({ sandboxes }: CommandApi): Promise<readonly string[]> {
  const ready = everyItem((page) => sandboxes.list({ ...page, state: 'ready' }));
  return (await Array.fromAsync(ready)).map(({ taskId }) => taskId);
}

/** A sandbox that cannot tell does not keep the others from being shown. */
async function read(task: string, context: Context, named: boolean): Promise<Reading | null> {
  try {
    return { task, stats: await (await context.service()).sandboxes.stats(task, context.options) };
  } catch (error) {
    const { message, code } = toCaissonError(error);
    if (code === 'canceled') throw error;
    if (named || code !== 'not_supported') context.say(`${task}: ${message} (${code})`);
    return null;
  }
}

function row({ task, stats: figures }: Reading): readonly string[] {
  const bytes = (value: number | null): string => (value === null ? '-' : formatBytes(value));
  const pids = `${figures.pids ?? '-'}${figures.pidsLimit === null ? '' : ` of ${figures.pidsLimit}`}`;
  const cpu = figures.cpuNanos === null ? '-' : formatDuration(figures.cpuNanos / 1e6);
  return [
    task,
    cpu,
    bytes(figures.memoryBytes),
    bytes(figures.memoryLimitBytes),
    pids,
    bytes(figures.networkReceivedBytes),
    bytes(figures.networkSentBytes),
  ];
}
