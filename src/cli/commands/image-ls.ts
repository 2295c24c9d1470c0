import { defineCommand } from '../command.ts';
import { formatAge, formatBytes } from '../format.ts';

export const imageLs = defineCommand({
  name: 'image ls',
  summary: 'List images that are there, and recipes that can be built',
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['what can be given to --image', 'image ls']],
  run: async (_given, context) => {
    const { images } = await context.service();
    const [there, recipes] = await Promise.all([images.list(context.options), images.recipes()]);
    if (context.json) await context.printJson({ images: there, recipes });
    else if (context.quiet) await context.print(there.map(({ reference }) => `${reference}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = there.map(({ reference, backend, id, bytes, created }) => [
        reference,
        backend,
        id.slice(0, 19),
        formatBytes(bytes),
        `${formatAge(created, nowMs)} ago`,
      ]);
      await context.printTable(['IMAGE', 'BACKEND', 'ID', 'SIZE', 'CREATED'], rows);
      await context.print('\n');
      await context.printTable(
        ['RECIPE', 'MAKES', 'ABOUT'],
        recipes.map(({ name, reference, about }) => [name, reference, about]),
      );
    }
    return 0;
  },
});
