/** Uses a state directory whose disk has no inode left, and prints what each verb answered. Argument: the disk. */
import { closeSync, existsSync, openSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { openCaisson } from '../../src/main.ts';
import { toCaissonError } from '../../src/errors.ts';
import type { Caisson } from '../../src/service/caisson.ts';

const [disk = ''] = process.argv.slice(2);
const home = join(disk, 'home');
const open = async (): Promise<Caisson> => await openCaisson({ home, env: process.env, cwd: '/' });
const answers: [string, unknown][] = [];

async function tried(what: string, verb: () => Promise<unknown>): Promise<void> {
  answers.push([
    what,
    await verb().catch((error: unknown) => {
      const { code, message, remedy } = toCaissonError(error);
      return { code, message, remedy };
    }),
  ]);
}

/** Takes the last inode. */
function fill(): void {
  for (let n = 0; statfsSync(disk).ffree > 0; n += 1) closeSync(openSync(join(disk, `filler-${n}`), 'a'));
}

/** Until the file system is full, also with what a verb has freed. */
async function use(caisson: Caisson, [stopped, removed]: readonly [string, string]): Promise<void> {
  fill();
  await tried('list', async () => (await caisson.sandboxes.list()).items.length);
  await tried('exec', async () => await caisson.run({ taskId: stopped, command: ['true'] }));
  await tried('create', async () => await caisson.sandboxes.create({ taskId: 'more' }));
  await tried(`stop ${stopped}`, async () => await caisson.sandboxes.stop(stopped));
  await tried(`rm ${removed}`, async () => await caisson.sandboxes.remove(removed));
  await tried('gc', async () => (await caisson.sandboxes.gc({ dryRun: false })).length);
}

const first = await open();
for (const taskId of ['a', 'b', 'c', 'd', 'e'])
  await tried('run', async () => (await first.run({ taskId, command: ['true'] })).exit.exitCode);
await first.sandboxes.gc({ dryRun: false });
answers.push(['reserve', readdirSync(join(home, 'reserve-files')).length]);
await use(first, ['a', 'b']);
await first.close();
answers.push(['reserve after use', existsSync(join(home, 'reserve-files'))]);
fill();
const second = await open();
answers.push(['reserve after an opening', existsSync(join(home, 'reserve-files'))]);
await use(second, ['c', 'd']);
for (const name of readdirSync(disk)) if (name.startsWith('filler')) rmSync(join(disk, name));
await tried('run with room', async () => (await second.run({ taskId: 'e', command: ['true'] })).exit.exitCode);
await second.close();
console.log(JSON.stringify(answers, null, 1));
