import { type Inspected, limitsText } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { escapeLine } from '../escape.ts';
import { describeDegraded, describeEnd } from '../explain.ts';
import { formatAge } from '../format.ts';
import { comparison } from '../inspection.ts';

export const inspect = defineCommand({
  name: 'inspect',
  summary: 'Show what was wanted of a sandbox beside what holds inside',
  about: 'Asks the backend too. EFFECTIVE is measured inside the sandbox; - means not asked for or not known.',
  operands: [{ name: 'TASK', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: { limits: { type: 'flag', about: 'a page of what holds in it, for people and models' } },
  examples: [
    ['limits, capabilities, mounts and network as they are', 'inspect build'],
    ['what a model that works there should know', 'inspect build --limits'],
    ['one fact for a script', 'inspect build -o json | jq .effective.limits.memoryBytes'],
  ],
  run: async (given, context) => {
    const [task = ''] = given.operands;
    if (given.flag('limits')) {
      const limits = await (await context.service()).sandboxes.limits(task, context.options);
      if (context.json) await context.printJson(limits);
      else await context.print(limitsText(limits));
      return 0;
    }
    const inspected = await (await context.service()).sandboxes.get(task, context.options);
    if (context.json) await context.printJson(inspected);
    else await show(inspected, context);
    return 0;
  },
});

async function show(inspected: Inspected, context: Context): Promise<void> {
  const facts = factsOf(inspected, context.world.nowMs());
  const width = Math.max(...facts.map(([name]) => name.length));
  const head = facts.map(([name, value]) => `${name.padEnd(width)}  ${escapeLine(value)}\n`).join('');
  await context.print(`${head}\n`);
  await context.printTable(['CONTROL', 'WANTED', 'EFFECTIVE'], comparison(inspected));
  const missing = describeDegraded(inspected.degraded).map((line) => `  ${escapeLine(line)}`);
  if (missing.length > 0) await context.print(`\n${context.paint.yellow('Missing here:')}\n${missing.join('\n')}\n`);
}

function factsOf(inspected: Inspected, nowMs: number): readonly (readonly [string, string])[] {
  const { place } = inspected;
  return [
    ['task', inspected.taskId],
    ['sandbox', inspected.id],
    ['backend', inspected.backend],
    [
      'state',
      inspected.resource === 'running' && inspected.state === 'ready'
        ? 'ready'
        : `${inspected.state}; the backend says ${inspected.resource}`,
    ],
    ['host', place?.host ?? '-'],
    ['resource', place?.resource ?? '-'],
    ['image digest', place?.imageDigest ?? '-'],
    ['directory', inspected.directory ?? '-'],
    ['kept', inspected.ephemeral ? 'no: it goes with the process that made it' : 'yes'],
    [
      'made',
      `${formatAge(inspected.createdAt, nowMs)} ago (${inspected.createdAt}), generation ${inspected.generation}`,
    ],
    ...(inspected.lostSince === null ? [] : [['files lost', `what was written after ${inspected.lostSince}`] as const]),
    ['idle', formatAge(inspected.usedAt, nowMs)],
    [
      'labels',
      Object.entries(inspected.labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' ') || '-',
    ],
    ['ends', inspected.endsBy.map(describeEnd).join('; ') || 'not by itself'],
    ...(inspected.noLanes === null ? [] : [['lanes', inspected.noLanes] as const]),
  ];
}
