import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { escapeLine } from '../escape.ts';
import { formatBytes, plural } from '../format.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy the state directory while it is in use',
  about: `DIRECTORY is made, and is a state directory itself: stop every process of Caisson and put it in the
place of the other one. Configuration, secrets of .env, database, records and audit are in it; files
of sandboxes and caches are not. It is there when it is complete.`,
  operands: [{ name: 'DIRECTORY', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [['to another disk', 'backup /mnt/backup/caisson-monday']],
  run: async (given, context) => {
    const { installation } = await context.local();
    const done = await installation.backup(resolve(context.world.cwd, given.operands[0] ?? ''));
    if (context.json) await context.printJson(done);
    else if (!context.quiet) await context.print(`${escapeLine(done.directory)}\n`);
    context.notice(`${plural(done.files, 'file')}, ${formatBytes(done.bytes)}`);
    return 0;
  },
});
