import { defineCommand } from '../command.ts';
import { everyItem, type SandboxView } from '../../service/api.ts';
import { formatAge, formatBytes } from '../format.ts';

export const ls = defineCommand({
  name: 'ls',
  summary: 'List sandboxes',
  about: `Shows what Caisson has on record, without a call to a backend; inspect makes one. -q prints
task ids only. Limits that the place does not hold are not shown.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['what is there', 'ls'],
    [
      'remove everything that is stopped',
      'ls -o json | jq -r \'.[] | select(.state == "stopped").taskId\' | xargs caisson rm',
    ],
  ],
  run: async (_given, context) => {
    const service = await context.service();
    const sandboxes = await Array.fromAsync(everyItem((page) => service.sandboxes.list(page, context.options)));
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

function heldLimit(
  { spec, degraded }: SandboxView,
  name: 'cpuCores' | 'memoryBytes',
  format: (value: number) => string,
): string {
  const limit = spec.limits[name];
  return limit === null || degraded.some(({ control }) => control === name) ? '-' : format(limit);
}
