import { defineCommand } from '../command.ts';
import { forEachTask } from '../each.ts';

export const stop = defineCommand({
  name: 'stop',
  summary: 'Stop sandboxes and keep their files',
  about: 'Ends all processes. The next exec or start brings it back; what is on tmpfs is gone by then.',
  operands: [{ name: 'TASK', count: 'any' }],
  runs: false,
  exitsAsCommand: false,
  options: { all: { type: 'flag', about: 'every sandbox' } },
  examples: [
    ['free its memory until it is needed again', 'stop build'],
    ['stop all', 'stop --all'],
  ],
  run: async (given, context) => {
    const service = await context.service();
    return forEachTask({ operands: given.operands, all: given.flag('all') ? 'all' : null }, context, (task) =>
      service.sandboxes.stop(task, context.options),
    );
  },
});
