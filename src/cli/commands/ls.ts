import { defineCommand } from '../command.ts';
import { everyItem, type SandboxView } from '../../service/api.ts';
import { formatAge, formatBytes } from '../format.ts';
import { UsageError } from '../usage.ts';
import { readChoice } from '../values.ts';

export const ls = defineCommand({
  name: 'ls',
  summary: 'List sandboxes',
  about: `Shows what Caisson has on record, without a call to a backend; inspect makes one. -q prints
task ids only. Limits that the place does not hold are not shown.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {
    filter: {
      type: 'list',
      value: 'KEY=VALUE',
      about: 'state, backend, image, or task (its beginning); all must hold',
    },
  },
  examples: [
    ['what is there', 'ls'],
    [
      'what runs in Docker, of the tasks whose names begin with ci-',
      'ls --filter state=ready --filter backend=docker --filter task=ci-',
    ],
  ],
  run: async (given, context) => {
    const wanted = filterOf(given.list('filter'));
    const service = await context.service();
    const all = await Array.fromAsync(everyItem((page) => service.sandboxes.list(page, context.options)));
    const sandboxes = all.filter(wanted);
    if (context.json) await context.printJson(sandboxes);
    else if (context.quiet) await context.print(sandboxes.map(({ taskId }) => `${taskId}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = sandboxes.map((sandbox) => [
        sandbox.taskId,
        sandbox.backend,
        sandbox.state,
        sandbox.spec.image ?? '-',
        heldLimit(sandbox, 'cpuCores', String),
        heldLimit(sandbox, 'memoryBytes', formatBytes),
        `${formatAge(sandbox.createdAt, nowMs)} ago`,
        formatAge(sandbox.usedAt, nowMs),
      ]);
      await context.printTable(['TASK', 'BACKEND', 'STATE', 'IMAGE', 'CPU', 'MEMORY', 'CREATED', 'IDLE'], rows);
    }
    return 0;
  },
});

type Test = (sandbox: SandboxView, value: string) => boolean;

const tests: Readonly<Record<string, Test>> = {
  state: ({ state }, value) => state === value,
  backend: ({ backend }, value) => backend === value,
  image: ({ spec }, value) => spec.image === value,
  task: ({ taskId }, value) => taskId.startsWith(value),
};
const states: readonly string[] = ['creating', 'ready', 'stopping', 'stopped', 'destroying'];

function filterOf(texts: readonly string[]): (sandbox: SandboxView) => boolean {
  const held = texts.map(testOf);
  return (sandbox) => held.every((test) => test(sandbox));
}

function testOf(text: string): (sandbox: SandboxView) => boolean {
  const [, key = '', value = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  const test = Object.hasOwn(tests, key) ? tests[key] : undefined;
  if (test === undefined)
    throw new UsageError(`--filter ${text}: expected KEY=VALUE`, { remedy: `keys: ${Object.keys(tests).join(', ')}` });
  if (key === 'state') readChoice('--filter state', value, states);
  return (sandbox) => test(sandbox, value);
}

function heldLimit(
  { spec, degraded }: SandboxView,
  name: 'cpuCores' | 'memoryBytes',
  format: (value: number) => string,
): string {
  const limit = spec.limits[name];
  return limit === null || degraded.some(({ control }) => control === name) ? '-' : format(limit);
}
