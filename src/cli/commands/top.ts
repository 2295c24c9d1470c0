import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../errors.ts';
import type { SandboxUse } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { wrapped } from '../help.ts';
import { screenWidth, sizeOf } from '../screen.ts';
import { type orders, sortedUses, topHead, topRow, topSummary } from '../top.ts';
import { table } from '../table.ts';
import { readChoice, readCount, readDuration } from '../values.ts';

/** The second look tells how many cores were used since the first. */
const rateMs = 500;
const defaultEveryMs = 2000;
const minEveryMs = 500;

export const top = defineCommand({
  name: 'top',
  summary: 'Show what sandboxes use, live, the largest first',
  about: `All sandboxes with what each uses now, its last command, and the time after which it ends by itself.
Figures come from the kernel where the sandbox runs on this host; a place that is slow to tell is asked
every five seconds at most. DISK is the directory of the task on this host, looked at once a minute.
On a terminal the list is shown anew until Ctrl-C; elsewhere, and with -n, so many times.`,
  operands: [{ name: 'TASK', count: 'optional' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    sort: { type: 'text', value: 'COLUMN', about: 'memory, cpu, processes or disk (default: memory)' },
    owner: { type: 'text', value: 'OWNER', about: 'only tasks of this owner' },
    count: {
      type: 'text',
      short: 'n',
      value: 'N',
      about: 'how many times (default: until Ctrl-C, or once without a terminal)',
    },
    every: { type: 'text', value: 'TIME', about: 'between two looks (default: 2s)' },
  },
  examples: [
    ['what uses the most memory', 'top'],
    ['once, for a script', 'top -n 1 --sort cpu'],
    ['for a program', 'top -n 1 -o json'],
  ],
  run: async (given, context) => {
    const order = readChoice('--sort', given.text('sort') ?? 'memory', names);
    const count = given.text('count');
    const isLive = count === undefined && screenWidth(context.world) !== null && !context.json;
    const looks = count === undefined ? (isLive ? Number.POSITIVE_INFINITY : 1) : readCount('--count', count);
    const [[task], owner] = [given.operands, given.text('owner')];
    const filter = { ...(task === undefined ? {} : { task }), ...(owner === undefined ? {} : { owner }) };
    const { sandboxes } = await context.service();
    const look = async () => sortedUses(await sandboxes.top(filter, context.options), order);
    await look();
    await pause(rateMs, context);
    for (let n = 1; n <= looks && !context.signal.aborted; n += 1) {
      await show(await look(), context, isLive);
      if (n < looks) await pause(everyMs(given.text('every')), context);
    }
    return 0;
  },
});

const names = ['memory', 'cpu', 'processes', 'disk'] as const satisfies readonly (keyof typeof orders)[];

function everyMs(text: string | undefined): number {
  const ms = text === undefined ? defaultEveryMs : readDuration('--every', text);
  if (ms !== null && ms >= minEveryMs) return ms;
  throw new CaissonError('invalid_argument', `--every ${text}: expected a time of at least ${minEveryMs} ms`);
}

/** Ctrl-C ends it, and the command. */
async function pause(ms: number, { signal }: Context): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

const clearScreen = '\u001b[H\u001b[2J';

async function show(uses: readonly SandboxUse[], context: Context, isLive: boolean): Promise<void> {
  const { world, paint } = context;
  if (context.json) return await context.printJson(uses);
  const nowMs = world.nowMs();
  const width = screenWidth(world);
  const text = table(
    topHead,
    uses.map((use) => topRow(use, nowMs)),
    { paint, width },
  );
  const summary = wrapped(`${topSummary(uses)}\n`, width);
  const lines = `${summary}${text}`.split('\n');
  const shown = isLive ? lines.slice(0, sizeOf(world).rows - 1) : lines;
  await context.print(`${isLive ? clearScreen : ''}${shown.join('\n')}${isLive ? '\n' : ''}`);
}
