import type { Choice } from '../../service/api.ts';
import { answerAll, asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import { UsageError } from '../usage.ts';

export const approvalsApprove = defineCommand({
  name: 'approvals approve',
  summary: 'Let a command run that waits for an answer',
  about: `Without an option, this once. It is bound to the exact command, its directory, place and task, and is
used up by it. A command that Caisson runs cannot answer.`,
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    session: { type: 'flag', about: 'also what is dangerous in the same way, for this task' },
    always: { type: 'flag', about: 'also this command from now on, by the rules that are shown' },
  },
  examples: [
    ['this once', 'approvals approve apr_0123456789abcdef01234567'],
    ['from now on', 'approvals approve --always apr_0123456789abcdef01234567'],
  ],
  run: async (given, context) => {
    if (given.flag('session') && given.flag('always')) throw new UsageError('--session and --always are both given');
    const choice: Choice = given.flag('always') ? 'always' : given.flag('session') ? 'session' : 'once';
    return await answerAll(given.operands, { choice, by: asker(context.world) }, context);
  },
});
