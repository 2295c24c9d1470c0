import { defineCommand } from '../command.ts';
import { forEachTask } from '../each.ts';
import { UsageError } from '../usage.ts';

export const rm = defineCommand({
  name: 'rm',
  summary: 'Remove sandboxes and their files',
  about: 'Ends all processes and removes the sandbox; its persistent directory too, unless --keep-files.',
  operands: [{ name: 'TASK', count: 'any' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    all: { type: 'flag', about: 'every sandbox' },
    stopped: { type: 'flag', about: 'every sandbox that is stopped' },
    'keep-files': { type: 'flag', about: "keep the task's directory for its next sandbox, or the next rm" },
  },
  examples: [
    ['done with a task', 'rm build'],
    ['only the sandbox; the files wait for the next one', 'rm --keep-files build'],
    ['what does not run', 'rm --stopped'],
    ['everything', 'rm --all'],
  ],
  run: async (given, context) => {
    const service = await context.service();
    const how = { keepFiles: given.flag('keep-files') };
    return forEachTask(
      { operands: given.operands, all: allOf(given.flag('all'), given.flag('stopped')) },
      context,
      (task) => service.sandboxes.remove(task, how, context.options),
    );
  },
});

function allOf(all: boolean, stopped: boolean): 'all' | 'stopped' | null {
  if (all && stopped) throw new UsageError('--all and --stopped are both given', { remedy: 'give one of them' });
  return stopped ? 'stopped' : all ? 'all' : null;
}
