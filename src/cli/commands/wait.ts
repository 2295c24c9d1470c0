import { defineCommand } from '../command.ts';

export const wait = defineCommand({
  name: 'wait',
  summary: 'Wait for a detached process and exit as it did',
  about: 'Exits with 125 when its end is not known.',
  operands: [{ name: 'PROCESS', count: 'one' }],
  runs: false,
  exitsAsCommand: true,
  options: {},
  examples: [['until it has ended', 'wait exec_0123456789abcdef']],
  run: async ({ operands: [id = ''] }, context) => {
    const process = await (await context.service()).processes.wait(id, context.options);
    if (context.json) await context.printJson(process);
    else if (process.state === 'lost') context.say(`${process.id} is gone, and its end is not known`);
    return process.exitCode ?? 125;
  },
});
