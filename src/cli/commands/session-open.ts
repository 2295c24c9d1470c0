import { defineCommand } from '../command.ts';
import { sessionOf, sessionOperands, withoutNotice } from '../session.ts';

export const sessionOpen = defineCommand({
  name: 'session open',
  summary: 'Open a shell that keeps its state between commands',
  about: `bash where the sandbox has it, else sh. Not needed before session run, which opens it by itself.
Its state is kept in the sandbox, so the next call takes it up, also from another process.`,
  operands: sessionOperands,
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['see which shell it gets', 'session open build dev']],
  run: async ({ operands }, context) => {
    const session = await (await context.service()).sessions.open(sessionOf(operands), context.options);
    if (session.lost.length > 0) context.notice(withoutNotice(session.lost));
    if (context.json) await context.printJson(session);
    else await context.print(`${session.name} ${session.shell ?? '-'}${session.restored ? ' restored' : ''}\n`);
    return 0;
  },
});
