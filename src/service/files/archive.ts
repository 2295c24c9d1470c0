/** Archives of files of a sandbox, as the API gives and takes them. */
import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CopyResult, FileArchive, FileTools, Options } from '../api.ts';
import type { Share } from '../../budget/types.ts';
import { CaissonError } from '../../errors.ts';
import { receiveArchive } from '../../files/archive/receive.ts';
import { openArchive } from '../../files/archive/send.ts';
import { copyIn } from '../../files/copy-in.ts';
import { insidePath } from '../../files/inside-path.ts';
import type { Handle } from '../../sandbox/context.ts';
import type { Within } from '../../sandbox/healing.ts';
import { operator } from '../../values/caller.ts';
import { isHost } from './copy.ts';
import { admitTree, type TreeDependencies } from './tree.ts';
import { given } from '../../lib/given.ts';

export interface ArchiveDependencies extends TreeDependencies {
  readonly within: Within;
}

/** Name of the other side of an archive in rules and in the audit. */
const otherSide = 'archive';
const env = { CAISSON_EXEC: 'copy' };

export function createArchiveTools(parts: ArchiveDependencies): Pick<FileTools, 'archive' | 'unpack'> {
  const directory = join(parts.context.home, 'archives');
  const shareOf = ({ caller }: Options): Share =>
    parts.context.budgets.of('staged_bytes').take(caller?.owner ?? operator, 0);
  return {
    archive: ({ task, ...input }, options = {}) =>
      parts.within(task, options, (handle) => archived(parts, handle, { ...input, directory, shareOf, options })),
    unpack: async ({ task, archive, limits, name, ...input }, options = {}) => {
      await using received = await receiveArchive({
        archive,
        limits,
        directory,
        share: shareOf(options),
        ...signalOf(options),
      });
      const source = name === undefined ? `${received.path}/.` : entryIn(received.path, name);
      return await parts.within(task, options, (handle) => unpacked(parts, handle, { ...input, source, options }));
    },
  };
}

/** The path of an entry at the top. Its absence is said without a path of this host. */
function entryIn(root: string, name: string): string {
  const path = join(root, name);
  if (!isName(name) || lstatSync(path, { throwIfNoEntry: false }) === undefined)
    throw new CaissonError(
      'invalid_argument',
      `the archive has no entry ${JSON.stringify(name.slice(0, 255))} at its top`,
    );
  return path;
}

const isName = (name: string): boolean => !/^(?:|\.\.?)$|[/\0]/.test(name);

const signalOf = ({ signal }: Options): Pick<Options, 'signal'> => given({ signal });

interface Out extends Omit<Parameters<FileTools['archive']>[0], 'task'> {
  readonly directory: string;
  readonly shareOf: (options: Options) => Share;
  readonly options: Options;
}

async function archived(
  parts: TreeDependencies,
  handle: Handle,
  { path, limits = {}, directory, shareOf, options }: Out,
): Promise<FileArchive> {
  const clean = insidePath(path).path;
  const recorded = { source: clean, target: otherSide };
  const wanted = { verb: 'archive', direction: 'out', inside: clean, recorded, written: null } as const;
  const { inside, vet, withheld } = await admitTree(parts, handle, { wanted, options });
  return await openArchive(handle.sandbox, {
    path: inside,
    directory,
    limits,
    vet,
    withheld,
    env,
    share: shareOf(options),
    ...signalOf(options),
  });
}

interface In extends Omit<Parameters<FileTools['unpack']>[0], 'task' | 'archive' | 'limits'> {
  readonly source: string;
  readonly options: Options;
}

async function unpacked(
  parts: TreeDependencies,
  handle: Handle,
  { path, confirmed = false, source, options }: In,
): Promise<CopyResult> {
  const { path: clean } = insidePath(path);
  const onHost = await isHost(parts.context, handle.row.backend);
  const written = {
    source: join(otherSide, source.endsWith('/.') ? '.' : basename(source)),
    target: clean,
    onHost,
    confirmed,
  };
  const recorded = { source: otherSide, target: clean };
  const wanted = { verb: 'archive', direction: 'in', inside: clean, recorded, written } as const;
  const { inside, vet } = await admitTree(parts, handle, { wanted, options });
  return await copyIn(handle.sandbox, { source, target: inside, vet, env, ...signalOf(options) });
}
