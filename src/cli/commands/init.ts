import { CaissonError } from '../../errors.ts';
import type { BackendCheck, CaissonApi } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { type InitialConfig, initialConfig } from '../initial.ts';

/** Places with isolation, in the order of preference. One without is used only when it is named. */
const isolated = ['docker', 'singularity'];
const ownImage = /^caisson\/base(?::|$)/;

export const init = defineCommand({
  name: 'init',
  summary: 'Write a first configuration file for what this machine has',
  about: `Looks for an engine and for images, and writes config.yaml with comments. A file that exists is never
changed: caisson config set changes single keys. Without --backend the file names docker or singularity;
a backend without isolation is used only when it is named.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    backend: { type: 'text', value: 'NAME', about: 'the backend to write the file for' },
    print: { type: 'flag', about: 'print the text and write no file' },
  },
  examples: [
    ['for the engine that is found here', 'init'],
    ['see the text first', 'init --print'],
    ['for commands on this machine, without isolation', 'init --backend local'],
  ],
  run: async (given, context) => {
    const service = await context.local();
    const check = await choose(service, given.text('backend'), context);
    const found = await look(service, check, context);
    const values = new Map((await service.config.show()).map(({ key, value }) => [key, value]));
    const text = initialConfig(found, (key) => values.get(key));
    if (given.flag('print')) {
      await context.print(text);
      return 0;
    }
    await service.config.create(text);
    const file = `${service.config.home}/config.yaml`;
    if (context.json) await context.printJson({ file, backend: found.backend, image: found.image });
    else if (!context.quiet) await context.print(`${escapeLine(file)}\n`);
    if (found.noDisk !== null) context.notice(`sandboxes have no limit of their disk here: ${found.noDisk}`);
    if (found.imageKey !== null && found.image === null)
      context.notice('no image is here yet: `caisson image build base` makes one without a registry');
    return 0;
  },
});

async function choose(service: CaissonApi, named: string | undefined, context: Context): Promise<BackendCheck> {
  const checks = await service.backends.check(named === undefined ? isolated : [named], context.options);
  const ready = checks.find(({ check }) => check.status === 'ready');
  if (ready !== undefined) return ready;
  const lines = checks.map(({ backend, check }) => `${backend}: ${check.summary}`);
  const remedies = checks.flatMap(({ check }) => (check.remedy === null ? [] : [check.remedy]));
  throw new CaissonError('failed_precondition', `no usable backend was found (${lines.join('; ')})`, {
    remedy: named === undefined ? `${remedies[0] ?? ''}; or name another one with --backend` : (remedies[0] ?? ''),
  });
}

async function look(
  service: CaissonApi,
  { backend, check, degraded }: BackendCheck,
  context: Context,
): Promise<InitialConfig> {
  const key = `${backend.replaceAll('-', '_')}_image`;
  const hasImages = (await service.config.show()).some((entry) => entry.key === `terminal.${key}`);
  const images = hasImages ? await imagesOf(service, backend, context) : [];
  const own = images.find((reference) => ownImage.test(reference));
  const image = own ?? images[0] ?? null;
  const others = images.filter((reference) => reference !== image);
  const noDisk = degraded.find(({ control }) => control === 'diskBytes')?.reason ?? null;
  const host = backend === 'docker' ? (context.world.env['DOCKER_HOST'] ?? null) : null;
  const found = { host: host === '' ? null : host, image, others, imageKey: hasImages ? key : null, noDisk };
  return { backend, summary: check.summary, ...found };
}

async function imagesOf(service: CaissonApi, backend: string, context: Context): Promise<readonly string[]> {
  const images = await service.images.list({ backend }, context.options);
  return images
    .map(({ reference }) => reference)
    .filter((reference) => /^[\w./:@-]+$/.test(reference))
    .toSorted();
}
