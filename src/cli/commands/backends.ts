import { defineCommand } from '../command.ts';

export const backends = defineCommand({
  name: 'backends',
  summary: 'List the backends and their state',
  about: 'doctor tells more: what is missing, how to get it, and known holes of what is there.',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['which places can be used now', 'backends']],
  run: async (_given, context) => {
    const checks = await (await context.service()).backends.check(undefined, context.options);
    if (context.json) await context.printJson(checks.map(({ backend, check }) => ({ backend, ...check })));
    else if (context.quiet) await context.print(checks.map(({ backend }) => `${backend}\n`).join(''));
    else
      await context.printTable(
        ['BACKEND', 'STATE', 'WHAT'],
        checks.map(({ backend, check }) => [backend, check.status, check.summary]),
      );
    return 0;
  },
});
