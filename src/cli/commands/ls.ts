import { defineCommand } from '../command.ts';
import { formatAge, formatBytes } from '../format.ts';

export const ls = defineCommand({
  name: 'ls',
  summary: 'List sandboxes',
  about: 'Tells what Caisson knows, without asking the backends; inspect asks. -q prints task ids only.',
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
    const sandboxes = await (await context.service()).list(context.options);
    if (context.json) await context.printJson(sandboxes);
    else if (context.quiet) await context.print(sandboxes.map(({ taskId }) => `${taskId}\n`).join(''));
    else {
      const nowMs = context.world.nowMs();
      const rows = sandboxes.map(({ taskId, backend, state, spec, createdAt, usedAt }) => [
        taskId,
        backend,
        state,
        spec.image ?? '-',
        spec.limits.cpuCores === null ? '-' : String(spec.limits.cpuCores),
        spec.limits.memoryBytes === null ? '-' : formatBytes(spec.limits.memoryBytes),
        `${formatAge(createdAt, nowMs)} ago`,
        formatAge(usedAt, nowMs),
      ]);
      await context.printTable(['TASK', 'BACKEND', 'STATE', 'IMAGE', 'CPU', 'MEMORY', 'CREATED', 'IDLE'], rows);
    }
    return 0;
  },
});
