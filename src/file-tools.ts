/** File tools of agents: looked at by the write protection, on record, and run in the sandbox of a task. */
import { homedir } from 'node:os';
import type { FileTools, Options } from './api.ts';
import { credentialsInside, isHost, untrustedOf } from './copies.ts';
import type { CaissonError } from './errors.ts';
import { runTool } from './files/tools/run.ts';
import {
  listDirectory,
  moveFile,
  patchFile,
  readFile,
  removeFile,
  type Run,
  searchFiles,
  statFile,
  writeFile,
} from './files/tools/tools.ts';
import { sync } from './files/sync/sync.ts';
import type { SyncResult } from './files/sync/types.ts';
import type { SyncInput } from './files/tools/types.ts';
import { refusalOf, vetting } from './guard/writes/copies.ts';
import type { Context, Handle } from './sandbox/context.ts';

/** Work in the sandbox of a task, healed once. */
export type Within = <T>(task: string, options: Options, work: (handle: Handle) => Promise<T>) => Promise<T>;

export interface ToolParts {
  readonly context: Context;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly within: Within;
}

interface Change {
  readonly tool: string;
  readonly paths: readonly string[];
  readonly confirmed?: boolean | undefined;
}

export function fileTools(parts: ToolParts): FileTools {
  const looks = (task: string, options: Options): Run => runner(parts, { task, options, change: null });
  const changes = (task: string, options: Options, change: Change): Run => runner(parts, { task, options, change });
  return {
    read: (input, options = {}) => readFile(looks(input.task, options), input),
    list: (input, options = {}) => listDirectory(looks(input.task, options), input),
    stat: (input, options = {}) => statFile(looks(input.task, options), input),
    search: (input, options = {}) => searchFiles(looks(input.task, options), input),
    write: ({ task, confirmed, ...input }, options = {}) =>
      writeFile(changes(task, options, { tool: 'write', paths: [input.path], confirmed }), input),
    patch: ({ task, confirmed, ...input }, options = {}) =>
      patchFile(changes(task, options, { tool: 'patch', paths: [input.path], confirmed }), input),
    move: ({ task, confirmed, ...input }, options = {}) =>
      moveFile(changes(task, options, { tool: 'move', paths: [input.path, input.to], confirmed }), input),
    remove: ({ task, confirmed, ...input }, options = {}) =>
      removeFile(changes(task, options, { tool: 'remove', paths: [input.path], confirmed }), input),
    sync: (input, options = {}) =>
      parts.within(input.task, options, (handle) => synced(parts, handle, { ...input, ...options })),
  };
}

interface Use {
  readonly task: string;
  readonly options: Options;
  readonly change: Change | null;
}

function runner(parts: ToolParts, { task, options, change }: Use): Run {
  return ({ withholds = false, ...run }) =>
    parts.within(task, options, async (handle) => {
      if (change !== null) await admit(parts, handle, change);
      const withheld = withholds ? [(await credentialsInside(parts.context.home, handle.row.id)) ?? ''] : [];
      return await runTool(handle.sandbox, { ...run, args: [...run.args, ...withheld], signal: options.signal });
    });
}

/** Throws what the write protection says, and tells the audit either way. */
async function admit(
  { context, env }: ToolParts,
  { row }: Handle,
  { tool, paths, confirmed = false }: Change,
): Promise<void> {
  const surroundings = { userHome: env['HOME'] ?? homedir(), home: context.home };
  const onHost = await isHost(context, row.backend);
  const told = { taskId: row.taskId, execId: null, tool, paths };
  for (const path of paths) {
    const refusal: CaissonError | null = refusalOf({ source: path, target: path, onHost, confirmed }, surroundings);
    if (refusal === null) continue;
    const { code, message } = refusal;
    context.audit.recordSoon({ type: 'decision', ...told, kind: 'file', verdict: 'deny', code, message });
    throw refusal;
  }
  await context.audit.record({ type: 'file', ...told });
}

async function synced(
  { context, env }: ToolParts,
  { row, sandbox }: Handle,
  { host, inside, direction, overwrite = false, confirmed = false, signal }: SyncInput & Options,
): Promise<SyncResult> {
  const [source, target] = direction === 'in' ? [host, inside] : [inside, host];
  const onHost = direction === 'out' || (await isHost(context, row.backend));
  const surroundings = { userHome: env['HOME'] ?? homedir(), home: context.home };
  const wanted = { source: `${source}/.`, target, onHost, confirmed };
  const refusal = refusalOf(wanted, surroundings);
  const told = { taskId: row.taskId, execId: null, source, target };
  if (refusal !== null) {
    const { code, message } = refusal;
    context.audit.recordSoon({ type: 'decision', ...told, kind: 'copy', verdict: 'deny', code, message });
    throw refusal;
  }
  await context.audit.record({ type: 'copy', ...told, direction, sync: true });
  const vet = vetting(wanted, surroundings);
  const withheld = await credentialsInside(context.home, row.id);
  const place = { home: context.home, sandboxId: row.id, host, inside };
  const untrusted = untrustedOf(context, row);
  return await sync(sandbox, { ...place, direction, overwrite, untrusted, withheld, vet, signal });
}
