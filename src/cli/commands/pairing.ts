import { asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import { plural } from '../format.ts';
import { pairedRow, pairingHead, pairingLine, pendingRow } from '../pairing.ts';

export const pairingList = defineCommand({
  name: 'pairing list',
  summary: 'List who waits for pairing, and who is paired',
  about: `A person who writes to the agent on a messenger and is not known there gets a code, and waits here
for an hour. Codes are shown only to them: ask them for the code, and approve it. Users whom variables
let in (TELEGRAM_ALLOWED_USERS and its like) are not listed. Refusals (strangers, wrong codes) are in
logs/access.log of the state directory, one JSON object a line.`,
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

export const pairingRevoke = defineCommand({
  name: 'pairing revoke',
  summary: 'Take back that somebody may talk to the agent',
  about: `By any id of the person, as \`pairing list\` shows them; all ids of the person are removed. It holds
from the next message on, in every process of the state directory. If an allow list also names the
person, Caisson says so: remove them there, too.`,
  operands: [
    { name: 'PLATFORM', count: 'one' },
    { name: 'USER', count: 'one' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['let them talk no longer', 'pairing revoke telegram 123456789'],
    ['one whose id begins with a dash', 'pairing revoke telegram -- -100123'],
  ],
  run: async ({ operands: [platform = '', user = ''] }, context) => {
    const revoked = await (await context.service()).access.pairing.revoke(platform, user, asker(context.world));
    if (context.json) await context.printJson(revoked);
    else await context.print(pairingLine(revoked.user));
    if (revoked.still !== 'none') context.notice(`they still may talk, by ${sources[revoked.still](platform)}`);
    return 0;
  },
});

const sources = {
  'platform-allow-all': (platform: string) => `${platform.toUpperCase()}_ALLOW_ALL_USERS`,
  paired: () => 'another pairing',
  'platform-allowlist': (platform: string) => `${platform.toUpperCase()}_ALLOWED_USERS`,
  'global-allowlist': () => 'GATEWAY_ALLOWED_USERS',
  'global-allow-all': () => 'GATEWAY_ALLOW_ALL_USERS',
} as const;

export const pairingClearPending = defineCommand({
  name: 'pairing clear-pending',
  summary: 'Forget who waits for pairing',
  about: `Their codes open nothing any more. Who is paired stays so. They may ask again ten minutes after
they did.`,
  operands: [{ name: 'PLATFORM', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['on all platforms', 'pairing clear-pending'],
    ['on one', 'pairing clear-pending telegram'],
  ],
  run: async ({ operands: [platform] }, context) => {
    const cleared = await (await context.local()).access.pairing.clearPending(platform);
    if (context.json) await context.printJson({ cleared });
    else if (!context.quiet) await context.print(`${plural(cleared, 'request')} forgotten\n`);
    return 0;
  },
});
