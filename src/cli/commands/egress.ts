import { defineCommand } from '../command.ts';

export const egress = defineCommand({
  name: 'egress',
  summary: 'Run the egress proxy of the state directory',
  about: `It is started by itself when a sandbox with a filtered network needs it (--network filtered), and
ends some seconds after the last one is gone. One runs for each state directory: where there is one,
this command says so and exits with 1.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['see what it says', 'egress']],
  run: async (_given, context) => {
    const { env, cwd } = context.world;
    const { runEgressProxy } = await import('../../main.ts');
    const say = (text: string): void => context.say(text);
    if (await runEgressProxy({ env, cwd, signal: context.signal, say })) return context.interrupted() ?? 0;
    context.say('another process is the egress proxy of this state directory');
    return 1;
  },
});
