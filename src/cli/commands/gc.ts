import { defineCommand } from '../command.ts';
import { setTimeout } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { plural } from '../format.ts';
import type { GcHow } from '../../service/api.ts';
import { UsageError } from '../usage.ts';
import { readDuration } from '../values.ts';

export const gc = defineCommand({
  name: 'gc',
  summary: 'Remove what no sandbox owns any more',
  about: `Expired sandboxes, what crashes left in the backends, directories without a task, old records.
Idle sandboxes are stopped while a process of Caisson runs on the state directory: a timer that calls
gc, or gc --every, does it where no other process stays.

--force NAME is for a sandbox whose host is gone, as a node of a cluster that was switched off: its
processes are given up, and it is stopped, or removed where it keeps no files. Nothing else is looked
at. Be sure that the host is off: where it runs on without a connection, two sandboxes write the same
files.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    'dry-run': { type: 'flag', about: 'only show what would go, and why' },
    force: { type: 'text', value: 'NAME', about: 'give up this sandbox, whose host does not answer' },
    every: { type: 'text', value: 'TIME', about: 'again after each 30s, 10m, 1h, until Ctrl-C' },
  },
  examples: [
    ['look first', 'gc --dry-run'],
    ['then remove', 'gc'],
    ['a node is switched off', 'gc --force build'],
    ['keep a state directory tidy', 'gc --every 10m'],
  ],
  run: async (given, context) => {
    const dryRun = given.flag('dry-run');
    const every = given.text('every');
    const force = given.text('force');
    if (every === undefined) return await pass(force === undefined ? { dryRun } : { dryRun, force }, context);
    if (force !== undefined) throw new UsageError('--force is for one time', { remedy: 'leave --every out' });
    const pauseMs = readDuration('--every', every);
    if (pauseMs === null) throw new UsageError('--every needs a time', { remedy: 'gc --every 10m' });
    while (!context.signal.aborted) {
      await pass({ dryRun }, context);
      // An interruption ends the pause, and then the loop.
      await setTimeout(pauseMs, undefined, { signal: context.signal }).catch(() => undefined);
    }
    return context.interrupted() ?? 0;
  },
});

async function pass(how: GcHow, context: Context): Promise<number> {
  const items = await (await context.service()).sandboxes.gc(how, context.options);
  const failed = items.filter(({ error }) => error !== undefined);
  if (context.json) await context.printJson(items);
  else if (items.length > 0) {
    const rows = items.map(({ kind, backend, name, taskId, why, error }) => [
      kind,
      name,
      taskId ?? '-',
      backend ?? '-',
      error === undefined ? why : `${why}; FAILED: ${error}`,
    ]);
    await context.printTable(['KIND', 'NAME', 'TASK', 'BACKEND', 'WHY'], rows);
  }
  const done = `${plural(items.length - failed.length, 'thing')} ${how.dryRun ? 'would go' : how.force === undefined ? 'removed' : 'given up'}`;
  const missed = failed.length > 0 ? `, ${failed.length} failed` : '';
  context.notice(items.length === 0 ? 'nothing to remove' : `${done}${missed}`);
  return failed.length > 0 ? 1 : 0;
}
