import { asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import { pairedRow, pairingHead, pairingLine } from '../pairing.ts';

export const pairingApprove = defineCommand({
  name: 'pairing approve',
  summary: 'Let somebody talk to the agent, by the code that they got',
  about: `From then on, until it is revoked; being on a list of users is not needed as well. Take the code from
the person, not from a message that anybody may have written. It counts for an hour and once. After
five wrong ones in a row nothing is approved on that platform for an hour. A command that Caisson
runs cannot approve.`,
  operands: [
    { name: 'PLATFORM', count: 'one' },
    { name: 'CODE', count: 'one' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['let them talk', 'pairing approve telegram ABC2DEF3']],
  run: async ({ operands: [platform = '', code = ''] }, context) => {
    const user = await (await context.service()).access.pairing.approve(platform, code, asker(context.world));
    if (context.json) await context.printJson(user);
    else if (context.quiet) await context.print(pairingLine(user));
    else await context.printTable(pairingHead, [pairedRow(user, context.world.nowMs())]);
    return 0;
  },
});
