import { defineCommand } from '../command.ts';

export const kill = defineCommand({
  name: 'kill',
  summary: 'End a detached process and all it started',
  about: `Asks it to end, gives it a second, then ends it and looks whether anything is left. A signal other than
KILL is only sent. Exits with 1 when something survived.`,
  operands: [
    { name: 'PROCESS', count: 'one' },
    { name: 'SIGNAL', count: 'optional' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['end it', 'kill exec_0123456789abcdef'],
    ['have it read its configuration again', 'kill exec_0123456789abcdef HUP'],
  ],
  run: async ({ operands: [id = '', signal] }, context) => {
    const killed = await (await context.service()).processes.kill(id, signal, context.options);
    if (context.json) await context.printJson(killed);
    else {
      for (const { pid, command } of killed.survivors ?? []) context.say(`still there: ${pid} ${command}`);
      if (!context.quiet) await context.print(`${killed.process.id}\n`);
    }
    return (killed.survivors?.length ?? 0) > 0 ? 1 : 0;
  },
});
