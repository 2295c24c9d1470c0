import { asker } from '../approvals.ts';
import { defineCommand } from '../command.ts';
import { pairingLine } from '../pairing.ts';

export const pairingRevoke = defineCommand({
  name: 'pairing revoke',
  summary: 'Take back that somebody may talk to the agent',
  about: `By any id of the person, as pairing list shows them; all of them go. It holds from the next message on,
in every process of the state directory. Whoever a list of users names too is told of: they talk on
until they are off that list.`,
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
