import { CaissonError } from '../../errors.ts';
import type { HookView } from '../../service/api.ts';
import { defineCommand } from '../command.ts';

export const hooksLs = defineCommand({
  name: 'hooks ls',
  summary: 'List the scripts that see a command before it runs',
  about: 'Those of hooks.pre_tool_call. A script runs only when it is what was accepted.',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['what is configured, and whether it was accepted', 'hooks ls']],
  run: async (_given, context) => {
    const hooks = await (await context.service()).policy.hooks.list();
    if (context.json) await context.printJson(hooks);
    else if (hooks.length > 0) await context.printTable(hookHead, hooks.map(hookRow));
    return 0;
  },
});

/** The digests of a hook stand in the order of its files: the program, and each argument that names one. */
export const hookHead = ['TOOL', 'STATE', 'SHA256', 'COMMAND'];

export function hookRow({ tool, state, files, command, problem }: HookView): readonly string[] {
  return [
    tool,
    state,
    files.map(({ sha256 }) => sha256?.slice(0, 12) ?? '-').join(' '),
    problem === null ? command.join(' ') : `${command.join(' ')}: ${problem}`,
  ];
}

export const hooksAccept = defineCommand({
  name: 'hooks accept',
  summary: 'Accept such scripts as they are now',
  about: `Look at them first: they receive every command, and can change it. A script that changes later is not
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
    const hooks = await (await context.service()).policy.hooks.accept(operands);
    if (hooks.length === 0)
      throw new CaissonError('not_found', 'no such hook is configured', { remedy: 'caisson hooks ls shows them' });
    if (context.json) await context.printJson(hooks);
    else await context.printTable(hookHead, hooks.map(hookRow));
    return hooks.every(({ state }) => state === 'accepted') ? 0 : 1;
  },
});
