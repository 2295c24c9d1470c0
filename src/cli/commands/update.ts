import { defineCommand } from '../command.ts';
import { lifeOptions, sandboxOptions } from '../option.ts';
import { lifeOf, taskOf } from '../request.ts';

export const update = defineCommand({
  name: 'update',
  summary: 'Change labels and times of a sandbox',
  about: `What is not given stays as it is. The new times count from its last use and from its creation, as the
earlier ones did. What a sandbox is made from is changed by create --recreate.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    task: sandboxOptions.task,
    ...lifeOptions,
    'remove-label': { type: 'list', value: 'KEY', about: 'a label to take away' },
  },
  examples: [
    ['keep it for another while', 'update build --lifetime 48h'],
    ['sort it anew', 'update build --label stage=done --remove-label team'],
  ],
  run: async (given, context) => {
    const { labels, ...times } = lifeOf(given);
    const removed = Object.fromEntries(given.list('remove-label').map((key) => [key, null]));
    const change = { ...times, labels: { ...removed, ...labels } };
    const changed = await (await context.service()).sandboxes.update(taskOf(given), change, context.options);
    if (context.json) await context.printJson(changed);
    else if (context.quiet) await context.print(`${changed.id}\n`);
    return 0;
  },
});
