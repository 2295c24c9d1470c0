import { answerAll, asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';

export const approvalsDeny = defineCommand({
  name: 'approvals deny',
  summary: 'Refuse a command that waits for an answer',
  operands: [{ name: 'ID', count: 'many' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['refuse it', 'approvals deny apr_0123456789abcdef01234567']],
  run: async (given, context) => await answerAll(given.operands, { choice: 'deny', by: asker(context.world) }, context),
});
