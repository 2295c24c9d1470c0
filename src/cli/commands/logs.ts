import { defineCommand } from '../command.ts';
import { eventJson } from '../event.ts';
import { Replay } from '../replay.ts';
import { readCount } from '../values.ts';

export const logs = defineCommand({
  name: 'logs',
  summary: 'Show the recorded output of a task or of one command',
  about: `On a terminal, everything but text and colours is spelled out, since recorded output may hold
sequences that act on the terminal. In a pipe, in a file and with --raw it comes as it was written.`,
  operands: [{ name: 'TASK|EXEC', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    follow: { type: 'flag', short: 'f', about: 'go on until the command has ended' },
    after: { type: 'text', value: 'N', about: 'only events after number N' },
    raw: { type: 'flag', about: 'as it was written, also on a terminal' },
  },
  examples: [
    ['what the commands of a task have written', 'logs build'],
    ['follow one command', 'logs -f exec_0123456789abcdef'],
    ['events with their numbers, to go on later with --after', 'logs build -o json'],
  ],
  run: async (given, context) => {
    const [id = ''] = given.operands;
    const after = given.text('after');
    const how = {
      follow: given.flag('follow'),
      ...(after === undefined ? {} : { after: readCount('--after', after) }),
    };
    const events = (await context.service()).execs.logs(id, how, context.options);
    const replay = new Replay(context, given.flag('raw') || context.world.stdout.isTTY !== true);
    for await (const event of events) {
      if (context.signal.aborted) break;
      if (context.json) await context.printJson(eventJson(event));
      else await replay.show(event);
    }
    return 0;
  },
});
