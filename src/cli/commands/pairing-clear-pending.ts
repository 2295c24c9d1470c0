import { defineCommand } from '../command.ts';
import { plural } from '../format.ts';

export const pairingClearPending = defineCommand({
  name: 'pairing clear-pending',
  summary: 'Forget who waits for pairing',
  about: `Their codes open nothing any more. Who is paired stays so. Whoever asked may ask again ten minutes after
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
    const cleared = await (await context.service()).access.pairing.clearPending(platform);
    if (context.json) await context.printJson({ cleared });
    else if (!context.quiet) await context.print(`${plural(cleared, 'request')} forgotten\n`);
    return 0;
  },
});
