import { version as ofCaisson } from '../../lib/build.ts';
import { defineCommand } from '../command.ts';

export const version = defineCommand({
  name: 'version',
  summary: 'Show the versions of Caisson and Node',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['for a report', 'version'],
    ['for a script', 'version -o json'],
  ],
  run: async (_given, context) => {
    const { platform, arch, version: node } = process;
    const facts = { version: ofCaisson(), node, platform: `${platform}-${arch}` };
    if (context.json) await context.printJson(facts);
    else await context.print(`caisson ${facts.version} (node ${node}, ${facts.platform})\n`);
    return 0;
  },
});
