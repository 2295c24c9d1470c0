import { defineCommand } from '../command.ts';

export const sessionLs = defineCommand({
  name: 'session ls',
  summary: 'List the sessions of a task',
  operands: [{ name: 'TASK', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['what state is kept', 'session ls build']],
  run: async ({ operands: [taskId = ''] }, context) => {
    const sessions = await (await context.service()).sessions.list(taskId, context.options);
    if (context.json) await context.printJson(sessions);
    else if (context.quiet) await context.print(sessions.map(({ name }) => `${name}\n`).join(''));
    else
      await context.printTable(
        ['NAME', 'STATE'],
        sessions.map(({ name, open }) => [name, open ? 'open' : 'kept']),
      );
    return 0;
  },
});
