import type { EventView } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';
import { readCount } from '../values.ts';

export const events = defineCommand({
  name: 'events',
  summary: 'Show changes of state of sandboxes, commands and approvals',
  about: `Of all processes that share the state directory, oldest first. Each has a number: with --after, those
after it are shown. 50,000 are kept.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    after: { type: 'text', value: 'ID', about: 'begin after this number (default: the oldest that is kept)' },
    follow: { type: 'flag', short: 'f', about: 'go on with what comes' },
    task: { type: 'text', value: 'TASK', about: 'only those of this task or sandbox' },
  },
  examples: [
    ['what has changed', 'events'],
    ['what has become of one sandbox', 'events --task build'],
    ['watch it, for a program', 'events --follow --after 1200 -o json'],
  ],
  run: async (given, context) => {
    const after = readCount('--after', given.text('after') ?? '0');
    const task = given.text('task');
    const how = { after, follow: given.flag('follow'), ...(task === undefined ? {} : { task }) };
    const service = await context.service();
    for await (const event of service.events.follow(how, context.options)) {
      if (context.json) await context.printJson(event);
      else await context.print(`${escapeLine(rowOf(event))}\n`);
    }
    return 0;
  },
});

function rowOf({ seq, at, type, author, reason, data }: EventView): string {
  const { taskId, execId, approvalId, from, to, exitCode } = data;
  const ids = [taskId, execId, approvalId].filter((each) => typeof each === 'string').join(' ');
  const step = type === 'sandbox.state' ? `${words(from ?? 'none')} -> ${words(to)}` : words(exitCode ?? data['state']);
  const by = reason === null ? author : `${author} (${reason})`;
  return [seq, at, type.padEnd(17), ids, step, by].filter((each) => each !== '').join('  ');
}

const words = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
