import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { plural } from '../format.ts';
import type { PoolView } from '../../service/api.ts';

const bare = { operands: [], runs: false, exitsAsCommand: false, options: {} } as const;

export const poolLs = defineCommand({
  name: 'pool ls',
  summary: 'List sandboxes that are made ahead of demand',
  about: `One line for each entry of pool.entries in the configuration. A service keeps them filled;
ls --pool shows the sandboxes themselves.`,
  ...bare,
  examples: [['what stands ready', 'pool ls']],
  run: async (_given, context) => {
    await show(await (await context.service()).pool.list(context.options), context);
    return 0;
  },
});

export const poolFill = defineCommand({
  name: 'pool fill',
  summary: 'Make the sandboxes of the pool that are missing',
  about: `Removes those that no entry wants any more, too. The exit code is 1 where an entry could not be filled.`,
  ...bare,
  examples: [['before the day begins', 'pool fill']],
  run: async (_given, context) => {
    const entries = await (await context.service()).pool.fill(context.options);
    await show(entries, context);
    return entries.some(({ error }) => error !== null) ? 1 : 0;
  },
});

export const poolDrain = defineCommand({
  name: 'pool drain',
  summary: 'Remove the sandboxes of the pool that no task has taken',
  about: `A service that runs makes others: take the entry out of the configuration to be rid of them.`,
  ...bare,
  examples: [['give their memory back', 'pool drain']],
  run: async (_given, context) => {
    const drained = await (await context.service()).pool.drain(context.options);
    if (context.json) await context.printJson(drained);
    else context.notice(`${plural(drained.removed, 'sandbox', 'sandboxes')} removed`);
    return 0;
  },
});

async function show(entries: readonly PoolView[], context: Context): Promise<void> {
  if (context.json) return await context.printJson(entries);
  if (context.quiet) return await context.print(entries.map(({ entry }) => `${entry}\n`).join(''));
  const rows = entries.map(({ entry, backend, image, size, ready, making, error }) => [
    ...[entry, backend, image ?? '-', `${ready}/${size}`, String(making)],
    error ?? '',
  ]);
  await context.printTable(['ENTRY', 'BACKEND', 'IMAGE', 'READY', 'MAKING', 'FAILED'], rows);
}
