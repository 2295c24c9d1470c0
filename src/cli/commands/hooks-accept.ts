import { CaissonError } from '../../errors.ts';
import { defineCommand } from '../command.ts';
import { hookHead, hookRow } from './hooks-ls.ts';

export const hooksAccept = defineCommand({
  name: 'hooks accept',
  summary: 'Accept such scripts as they are now',
  about: `Look at them first: they are told every command, and can change it. A script that changes later is not
run until it is accepted again. Exits 1 when one of them cannot be used.`,
  operands: [{ name: 'SCRIPT', count: 'any' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['all that are configured', 'hooks accept'],
    ['one of them', 'hooks accept ~/scripts/security-check.py'],
  ],
  run: async ({ operands }, context) => {
    const hooks = await (await context.service()).hooks.accept(operands);
    if (hooks.length === 0)
      throw new CaissonError('not_found', 'no such hook is configured', { remedy: 'caisson hooks ls shows them' });
    if (context.json) await context.printJson(hooks);
    else await context.printTable(hookHead, hooks.map(hookRow));
    return hooks.every(({ state }) => state === 'accepted') ? 0 : 1;
  },
});
