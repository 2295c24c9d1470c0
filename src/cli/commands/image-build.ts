import { defineCommand } from '../command.ts';
import type { CaissonApi } from '../../service/api.ts';
import { UsageError } from '../usage.ts';
import { readChoice } from '../values.ts';

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
    ['the sandbox image, without a registry', 'image build sandbox --method packages'],
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

async function onlyRecipe(images: CaissonApi['images']): Promise<string> {
  const names = (await images.recipes()).map(({ name }) => name);
  const [only] = names;
  if (only === undefined || names.length > 1)
    throw new UsageError('which image?', { remedy: `one of: ${names.join(', ')}` });
  return only;
}
