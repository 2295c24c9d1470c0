import { defineCommand } from '../command.ts';

export const redact = defineCommand({
  name: 'redact',
  summary: 'Take secrets out of a text',
  about: `Reads standard input and writes it without secrets: tokens by the prefixes of their issuers, values
of names such as API_KEY or password, headers, keys, passwords in addresses, and the values of the
variables that are passed on to commands. Each leaves a placeholder that tells its kind.
With --json only the counts are written.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    env: { type: 'list', short: 'e', value: 'NAME', about: 'a variable of this process whose value is a secret too' },
  },
  examples: [
    ['what a log says, without its secrets', 'redact < build.log'],
    ['with a value of your own', 'redact -e DEPLOY_PHRASE < deploy.log'],
    ['only how many there are', 'redact --json < build.log'],
  ],
  run: async (given, context) => {
    const redactor = (await context.local()).secrets.redactor({ names: given.list('env') });
    const pass = async (pieces: readonly Buffer[]): Promise<void> => {
      if (!context.json) for (const piece of pieces) await context.print(piece);
    };
    for await (const chunk of context.world.stdin) {
      if (context.signal.aborted) break;
      await pass(redactor.write(chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk))));
    }
    await pass(redactor.end());
    if (context.json) await context.printJson(redactor.counts);
    return 0;
  },
});
