import { defineCommand } from '../command.ts';
import { plural } from '../format.ts';

export const gc = defineCommand({
  name: 'gc',
  summary: 'Remove what no sandbox owns any more',
  about: 'Expired sandboxes, what crashes left in the backends, directories without a task, old records.',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: { 'dry-run': { type: 'flag', about: 'only tell what would go, and why' } },
  examples: [
    ['look first', 'gc --dry-run'],
    ['then remove', 'gc'],
  ],
  run: async (given, context) => {
    const dryRun = given.flag('dry-run');
    const items = await (await context.service()).sandboxes.gc({ dryRun }, context.options);
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
    context.notice(
      `${plural(items.length - failed.length, 'thing')} ${dryRun ? 'would go' : 'removed'}${failed.length > 0 ? `, ${failed.length} failed` : ''}`,
    );
    return failed.length > 0 ? 1 : 0;
  },
});
