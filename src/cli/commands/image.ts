import { defineCommand } from '../command.ts';
import { formatAge, formatBytes } from '../format.ts';
import { UsageError } from '../usage.ts';
import { readChoice } from '../values.ts';
import type { CommandApi } from '../world.ts';

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
    const [there, recipes] = await Promise.all([images.list({}, context.options), images.recipes()]);
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

export const imageBuild = defineCommand({
  name: 'image build',
  summary: 'Build an image from a recipe',
  about: `NAME is a recipe of image ls; it may be left out when there is only one.
packages puts it together from distribution packages and needs no registry; dockerfile lets the
engine build it.`,
  operands: [{ name: 'NAME', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: { method: { type: 'text', value: 'METHOD', about: 'packages or dockerfile' } },
  examples: [
    ['see what there is', 'image ls'],
    ['the usual image, without a registry', 'image build base'],
    ['one with Node.js, compilers and editors', 'image build dev'],
  ],
  run: async (given, context) => {
    const method = given.text('method');
    const how = method === undefined ? {} : { method: readChoice('--method', method, ['packages', 'dockerfile']) };
    const { images } = await context.service();
    const built = await images.build(given.operands[0] ?? (await onlyRecipe(images)), how, context.options);
    if (context.json) await context.printJson(built);
    else await context.print(context.quiet ? `${built.id}\n` : `${built.reference} ${built.id}\n`);
    return 0;
  },
});

async function onlyRecipe(images: CommandApi['images']): Promise<string> {
  const names = (await images.recipes()).map(({ name }) => name);
  const [only] = names;
  if (only === undefined || names.length > 1)
    throw new UsageError('which image?', { remedy: `one of: ${names.join(', ')}` });
  return only;
}
