import type { Connection } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';
import { formatBytes } from '../format.ts';
import { readCount } from '../values.ts';

const defaultCount = '100';

export const netLog = defineCommand({
  name: 'net log',
  summary: 'Show the connections of a sandbox with a filtered network',
  about: `A line for each connection that has ended or was denied: when, verdict, place, address, bytes sent and
received, and the rule. It ends with the sandbox. Names come from the sandbox; those that hold a known
secret are masked.`,
  operands: [{ name: 'TASK', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    lines: { type: 'text', short: 'n', value: 'N', about: `how many (default: ${defaultCount})` },
    follow: { type: 'flag', short: 'f', about: 'go on with what comes' },
  },
  examples: [
    ['what it has reached', 'net log build'],
    ['watch it', 'net log build -f -n 0'],
    ['what was denied, for a program', 'net log build --json'],
  ],
  run: async (given, context) => {
    const count = readCount('--lines', given.text('lines') ?? defaultCount);
    const [task = ''] = given.operands;
    const { network } = await context.service();
    const how = { count, follow: given.flag('follow') };
    for await (const each of network.log(task, how, context.options)) {
      if (context.json) await context.printJson(each);
      else await context.print(`${escapeLine(rowOf(each))}\n`);
    }
    return 0;
  },
});

function rowOf({ startedAt, verdict, name, port, address, sentBytes, receivedBytes, rule }: Connection): string {
  const place = name === null ? '-' : `${name.includes(':') ? `[${name}]` : name}:${port ?? '-'}`;
  const bytes = `${formatBytes(sentBytes)} up, ${formatBytes(receivedBytes)} down`;
  return [startedAt, verdict.padEnd(5), place, address ?? '-', bytes, rule].join('  ');
}
