/** File tools of agents: admitted by write protection, rules and people, on record, and run in the sandbox of a task. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Share } from '../../budget/types.ts';
import type { FileTools, Options } from '../api.ts';
import { credentialsInside } from './copy.ts';
import { type AdmittedPaths, admitFile, type FileUse } from './admission.ts';
import { CaissonError } from '../../errors.ts';
import { insidePath } from '../../files/inside-path.ts';
import type { Edit } from '../../files/tools/edits.ts';
import type { Change } from '../../files/tools/patch.ts';
import { openTool, runTool, type ToolRun } from '../../files/tools/run.ts';
import { firstBytes, type Open, streamFile } from '../../files/tools/stream.ts';
import {
  bytesOfRead,
  type Hold,
  listDirectory,
  moveFile,
  patchFile,
  readFile,
  removeFile,
  type Run,
  searchFiles,
  statFile,
  writeFile,
} from '../../files/tools/tools.ts';
import { operator } from '../../values/caller.ts';
import { ownerOf } from '../../values/owner.ts';
import type { Handle } from '../../sandbox/context.ts';
import { createArchiveTools } from './archive.ts';
import { patched, written } from './preview.ts';
import { synced } from './sync.ts';
import type { TreeDependencies } from './tree.ts';
import { createWatch, type WatchDependencies } from './watch.ts';

export interface FileToolsInput extends TreeDependencies, WatchDependencies {}

export function fileTools(parts: FileToolsInput): FileTools {
  const runs = (task: string, options: Options, use: FileUse): Run =>
    runner(parts, { task, options, admit: admission(parts, use, options) });
  return {
    read: (input, options = {}) => {
      const admit = admission(parts, { tool: 'read_file', touches: [{ path: input.path }] }, options);
      return readFile(runner(parts, { task: input.task, options, admit, holds: bytesOfRead(input) }), input);
    },
    stream: ({ task, path }, options = {}) => {
      const admit = admission(parts, { tool: 'read_file', touches: [{ path }] }, options);
      const wanted = { task, options, admit, holds: firstBytes };
      return streamFile({ run: runner(parts, wanted), open: opener(parts, wanted) }, { path });
    },
    list: (input, options = {}) =>
      listDirectory(runs(input.task, options, { tool: 'list_files', touches: [{ path: input.path }] }), input),
    stat: (input, options = {}) =>
      statFile(runs(input.task, options, { tool: 'list_files', touches: [{ path: input.path, entry: true }] }), input),
    search: (input, options = {}) => searched(parts, input, options),
    write: ({ task, confirmed, ...given }, options = {}) => {
      const input = { ...given, bytes: ownBytes(given.bytes) };
      const change = { verb: 'write', confirmed, digest: () => digestOf(input.bytes), after: written(input.bytes) };
      return writeFile(runs(task, options, { tool: 'write_file', touches: [{ path: input.path }], change }), input);
    },
    patch: ({ task, confirmed, ...given }, options = {}) => {
      const input = ownEdits(given);
      const digest = (): string => hash('sha256', JSON.stringify(input));
      const change = { verb: 'patch', confirmed, digest, after: patched(input) };
      const use = { tool: 'write_file', also: ['patch'], touches: [{ path: input.path }], change } as const;
      const { caller, signal } = options;
      const budget = parts.context.budgets.of('file_bytes');
      const hold: Hold = (amount) => budget.wait(caller?.owner ?? operator, { amount, signal });
      return patchFile({ run: runs(task, options, use), hold }, input);
    },
    move: ({ task, confirmed, ...input }, options = {}) => {
      const touches = [
        { path: input.path, entry: true, tree: true },
        { path: input.to, entry: true },
      ] as const;
      const change = { verb: 'move', confirmed, digest: () => null };
      return moveFile(runs(task, options, { tool: 'write_file', also: ['move_file'], touches, change }), input);
    },
    remove: ({ task, confirmed, ...input }, options = {}) => {
      const touches = [{ path: input.path, entry: true, tree: input.recursive ?? false }] as const;
      const change = { verb: 'remove', confirmed, digest: () => null };
      return removeFile(runs(task, options, { tool: 'write_file', also: ['remove_file'], touches, change }), input);
    },
    sync: (input, options = {}) =>
      parts.within(input.task, options, (handle) => synced(parts, handle, { ...input, ...options })),
    ...createArchiveTools(parts),
    watch: createWatch(parts),
  };
}

/** A copy, since what was approved must be what is written, whatever the caller does meanwhile. */
const ownBytes = (bytes: Parameters<FileTools['write']>[0]['bytes']): typeof bytes =>
  ArrayBuffer.isView(bytes) ? Buffer.from(bytes) : bytes;

function ownEdits<Given extends Change>(given: Given): Given {
  return 'edits' in given && Array.isArray(given.edits)
    ? { ...given, edits: given.edits.map((edit: Edit) => ({ ...edit })) }
    : given;
}

const digestOf = (bytes: Parameters<FileTools['write']>[0]['bytes']): string =>
  typeof bytes === 'object' && 'sha256' in bytes ? bytes.sha256 : hash('sha256', bytes);

type Admit = (handle: Handle) => Promise<AdmittedPaths | null>;

/** Once, though a tool may run several scripts, and each a second time in a healed sandbox. */
function admission(parts: FileToolsInput, use: FileUse, options: Options): Admit {
  let admitted: ReturnType<Admit> | null = null;
  return (handle) => (admitted ??= admitFile(parts, handle, { use, options }));
}

interface ToolRequest {
  readonly task: string;
  readonly options: Options;
  readonly admit: Admit;
  /** Bytes that are held in memory while a tool runs. */
  readonly holds?: number;
}

function runner(parts: FileToolsInput, wanted: ToolRequest): Run {
  return (run) =>
    parts.within(wanted.task, wanted.options, async (handle) => {
      const admitted = await admittedRun(parts, { handle, wanted, run });
      const share = await shareOf(parts, handle, wanted);
      try {
        return await runTool(handle.sandbox, admitted);
      } finally {
        share?.free();
      }
    });
}

/** Taken once the tool is admitted, since a question may be open for long. */
async function shareOf(
  parts: FileToolsInput,
  { row }: Handle,
  { options, holds = 0 }: ToolRequest,
): Promise<Share | null> {
  if (holds === 0 || options.held !== undefined) return null;
  const owner = options.caller?.owner ?? ownerOf(row.taskId);
  return await parts.context.budgets.of('file_bytes').wait(owner, { amount: holds, signal: options.signal });
}

/** The sandbox is in use until the reader has ended. */
function opener(parts: FileToolsInput, wanted: ToolRequest): Open {
  return async function* (run) {
    const [opened, over] = [Promise.withResolvers<AsyncIterable<Buffer>>(), Promise.withResolvers<void>()];
    const using = parts.within(wanted.task, wanted.options, async (handle) => {
      opened.resolve(await openTool(handle.sandbox, await admittedRun(parts, { handle, wanted, run })));
      await over.promise;
    });
    using.catch(opened.reject);
    try {
      yield* await opened.promise;
    } finally {
      over.resolve();
    }
    await using;
  };
}

interface Admitting {
  readonly handle: Handle;
  readonly wanted: ToolRequest;
  readonly run: Parameters<Run>[0];
}

async function admittedRun(parts: FileToolsInput, { handle, wanted, run: wish }: Admitting): Promise<ToolRun> {
  const { withholds = false, ...run } = wish;
  const admitted = await wanted.admit(handle);
  const withheld = withholds ? [(await credentialsInside(parts.context.home, handle.row.id)) ?? ''] : [];
  const [path, ...rest] = run.args;
  const paths = admitted?.paths ?? [path];
  const args = [paths[0] ?? path, ...paths.slice(1), ...rest.slice(paths.length - 1), ...withheld] as const;
  const judged = { ...run, args, real: admitted !== null, signal: wanted.options.signal };
  return run.script === 'write' && admitted?.before ? overSame(judged, admitted.before) : judged;
}

/** What a person has seen changed is written over that file only. `before`: as `write.sh` takes it. */
function overSame(run: ToolRun, before: string): ToolRun {
  const [path, size = '', expected = '', ...rest] = run.args;
  if (expected !== '' && expected !== before) throw changedSinceError(path);
  return { ...run, args: [path, size, before, ...rest] };
}

function changedSinceError(path: string): CaissonError {
  return new CaissonError('conflict', `${path} is not what it was when the change was shown`, {
    remedy: 'read it again, and ask anew',
  });
}

/** Lines of files that may not be read without asking are left out. */
async function searched(
  parts: FileToolsInput,
  { task, ...input }: Parameters<FileTools['search']>[0],
  options: Options,
): ReturnType<FileTools['search']> {
  const admit = admission(parts, { tool: 'search_files', touches: [{ path: input.path }] }, options);
  const found = await searchFiles(runner(parts, { task, options, admit }), input);
  return await parts.within(task, options, async (handle) => {
    const admitted = await admit(handle);
    const settings = admitted === null ? null : await parts.rulebook.fileSettings(handle.row.taskId, options.said);
    if (admitted === null || settings === null) return found;
    const { decideTool } = await import('../../policy/tool.ts');
    const {
      project,
      paths: [real = '/'],
    } = admitted;
    const mayRead = (path: string): boolean =>
      decideTool({ tool: 'read_file', path, project }, settings).verdict === 'allow';
    const readable = found.matches.filter(({ path }) => mayRead(path));
    const matches = readable.map((match) => ({ ...match, path: asAsked(match.path, { real, asked: input.path }) }));
    return { ...found, matches, withheld: found.matches.length - matches.length };
  });
}

/** Paths as the caller has them, though a link on the way leads elsewhere. */
function asAsked(path: string, { real, asked }: { readonly real: string; readonly asked: string }): string {
  return join(insidePath(asked).path, path.slice(real === '/' ? 0 : real.length));
}
