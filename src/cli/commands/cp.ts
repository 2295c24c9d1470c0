import { resolve } from 'node:path';
import type { CopyInput, CopyResult } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { GivenOptions } from '../option.ts';
import type { Context } from '../context.ts';
import { formatBytes, plural } from '../format.ts';
import { UsageError } from '../usage.ts';
import { readBytes, readCount } from '../values.ts';

const maxSkipped = 20;

export const cp = defineCommand({
  name: 'cp',
  summary: 'Copy files and directories into or out of a sandbox',
  about: `Exactly one side is in the sandbox, written TASK:PATH; a relative PATH starts from the directory
in which its commands start. A path of this machine that holds a colon starts with / or . instead.
Links, devices and sockets are left out and reported. Files that hold the account or its
configuration (~/.ssh, ~/.bashrc, /etc/passwd and the like) are not written.`,
  operands: [
    { name: 'SOURCE', count: 'one' },
    { name: 'TARGET', count: 'one' },
  ],
  runs: false,
  exitsAsCommand: false,
  options: {
    confirmed: { type: 'flag', about: 'write into another profile, or a copy of the configuration in a sandbox' },
    'max-bytes': {
      type: 'text',
      value: 'SIZE',
      about: 'refuse to bring more than this out of a sandbox, such as 500m',
    },
    'max-files': { type: 'text', value: 'N', about: 'refuse to bring more files and directories out of a sandbox' },
  },
  examples: [
    ['into the sandbox', 'cp ./src build:/workspace/src'],
    ['out of it', 'cp build:/workspace/report.html .'],
    ['at most so much', 'cp build:/workspace/out . --max-bytes 500m'],
  ],
  run: async (given, context) => {
    const [source = '', target = ''] = given.operands;
    const confirmed = given.flag('confirmed');
    if (source === '-' || target === '-')
      throw new UsageError('- is no path here: cp copies files to files', {
        remedy: 'caisson exec TASK -- cat PATH writes a file to standard output; for one named -, write ./-',
      });
    const [from, to] = [sideOf(source), sideOf(target)];
    if ((from === null) === (to === null)) {
      const both = from === null ? 'neither side is' : 'both sides are';
      throw new UsageError(`${both} in a sandbox`, {
        usage: 'caisson cp SOURCE TARGET',
        remedy: 'write exactly one of them as TASK:PATH',
      });
    }
    const service = await context.service();
    const result =
      from === null
        ? await service.files.copyIn(
            { task: to?.task ?? '', source: here(source, context), target: to?.path ?? '', confirmed },
            context.options,
          )
        : await service.files.copyOut(
            { task: from.task, source: from.path, target: here(target, context), confirmed, limits: limitsIn(given) },
            context.options,
          );
    await tell(result, context);
    return 0;
  },
});

function limitsIn(given: GivenOptions<'max-bytes' | 'max-files', never, never>): NonNullable<CopyInput['limits']> {
  const [bytes, files] = [given.text('max-bytes'), given.text('max-files')];
  return {
    ...(bytes === undefined ? {} : { bytes: readBytes('--max-bytes', bytes) }),
    ...(files === undefined ? {} : { entries: readCount('--max-files', files) }),
  };
}

interface Side {
  readonly task: string;
  readonly path: string;
}

/** `null`: a path of this machine. */
function sideOf(text: string): Side | null {
  const match = /^([A-Za-z0-9_-]{1,64}):(.*)$/s.exec(text);
  const [, task, path] = match ?? [];
  if (task === undefined || path === undefined) return null;
  if (path === '')
    throw new UsageError(`${text} names no path in the sandbox`, {
      remedy: `write ${task}:. for its working directory, or an absolute path`,
    });
  return { task, path };
}

/** A trailing slash says "into this directory" and stays. */
function here(path: string, { world }: Context): string {
  const absolute = resolve(world.cwd, path);
  return path.endsWith('/') && absolute !== '/' ? `${absolute}/` : absolute;
}

async function tell(result: CopyResult, context: Context): Promise<void> {
  const { files, directories, bytes, skipped } = result;
  if (context.json) return context.printJson(result);
  const summary = [
    plural(files, 'file'),
    ...(directories > 0 ? [plural(directories, 'directory', 'directories')] : []),
    formatBytes(bytes),
  ];
  context.notice(`copied ${summary.join(', ')}`);
  for (const { path, reason } of skipped.slice(0, maxSkipped)) context.notice(`left out ${path}: ${reason}`);
  if (skipped.length > maxSkipped) context.notice(`left out ${skipped.length - maxSkipped} more`);
}
