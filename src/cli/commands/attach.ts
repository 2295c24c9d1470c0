import { type Exit, shellCode } from '../../service/api.ts';
import { Attached } from '../attached.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { explain } from '../explain.ts';

export const attach = defineCommand({
  name: 'attach',
  summary: 'Follow a command that was started before, and exit as it does',
  about: `Prints what it has written so far, then what it writes, byte for byte. Standard input is passed on to a
command that was started with --detach -i; its end ends the input of the command. Ctrl-C and SIGTERM are
passed on to it. The second Ctrl-C leaves, and the command goes on.`,
  operands: [{ name: 'EXEC', count: 'one' }],
  runs: false,
  exitsAsCommand: true,
  options: {
    'no-stdin': { type: 'flag', about: 'pass no standard input on' },
    'no-signals': { type: 'flag', about: 'Ctrl-C leaves, and the command goes on' },
  },
  examples: [
    ['take a command up again', 'attach exec_0123456789abcdef'],
    ['write a line to it', 'attach exec_0123456789abcdef < line.txt'],
    ['watch it alone', 'attach --no-stdin --no-signals exec_0123456789abcdef'],
  ],
  run: async (given, context) => {
    const [id = ''] = given.operands;
    const service = await context.service();
    const attached = new Attached(service, id, context);
    const isDetached = await attached.find();
    const interrupt = (): void => void attached.interrupt(given.flag('no-signals'));
    context.signal.addEventListener('abort', interrupt, { once: true });
    try {
      if (isDetached && !given.flag('no-stdin')) attached.passInput();
      const exit = await attached.read();
      return exit === null ? (context.interrupted() ?? 125) : exitCodeOf(exit, context);
    } finally {
      context.signal.removeEventListener('abort', interrupt);
      attached.leave();
    }
  },
});

function exitCodeOf(exit: Exit, context: Context): number {
  if (!context.json) for (const line of explain(exit, null)) context.notice(line);
  return shellCode(exit);
}
