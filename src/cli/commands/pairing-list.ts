import { defineCommand } from '../command.ts';
import { pairedRow, pairingHead, pairingLine, pendingRow } from '../pairing.ts';

export const pairingList = defineCommand({
  name: 'pairing list',
  summary: 'List who waits for pairing, and who is paired',
  about: `Whoever writes to the agent on a messenger and is not known there gets a code, and waits here for an
hour. Codes are shown nowhere but to them: have the code told, and approve it. Who is let in by
variables (TELEGRAM_ALLOWED_USERS and its like) is not listed.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['look', 'pairing list'],
    ['who is paired, for a program', 'pairing list -o json | jq .paired'],
  ],
  run: async (_given, context) => {
    const view = await (await context.service()).access.pairing.list();
    const { pending, paired, lockedOut } = view;
    const nowMs = context.world.nowMs();
    if (context.json) await context.printJson(view);
    else if (context.quiet) await context.print([...pending, ...paired].map(pairingLine).join(''));
    else {
      const rows = [...pending.map((each) => pendingRow(each, nowMs)), ...paired.map((each) => pairedRow(each, nowMs))];
      await context.printTable(pairingHead, rows);
    }
    for (const { platform, until } of lockedOut)
      context.notice(`nothing is approved on ${platform} until ${until}: too many codes were wrong`);
    return 0;
  },
});
