/** Watches of directories: admitted as a list of all that they show is. */
import type { FileTools, Options } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import { insidePath } from '../../files/inside-path.ts';
import { openWatch } from '../../files/watch/watch.ts';
import type { Handle } from '../../sandbox/context.ts';
import { operator } from '../../values/caller.ts';
import type { Within } from '../../sandbox/healing.ts';
import { type FileAdmissionInput, admitFile } from './admission.ts';

export interface WatchDependencies extends FileAdmissionInput {
  readonly within: Within;
  /** Fires when this process is done with its sandboxes. */
  readonly closing: AbortSignal;
}

const defaultMs = 1000;
const leastMs = 200;
const maxMs = 3_600_000;

type Watch = FileTools['watch'];

/** The use of the sandbox ends with the first look. */
export function createWatch(parts: WatchDependencies): Watch {
  return async ({ task, ...input }, options = {}) => {
    checkInterval(input.intervalMs ?? defaultMs);
    return await parts.within(task, options, (handle) => watched(parts, handle, { ...input, options }));
  };
}

interface WatchRequest extends Omit<Parameters<Watch>[0], 'task'> {
  readonly options: Options;
}

async function watched(
  parts: WatchDependencies,
  handle: Handle,
  { path, recursive = false, intervalMs = defaultMs, options }: WatchRequest,
): ReturnType<Watch> {
  const clean = insidePath(path).path;
  const use = { tool: 'list_files', also: ['watch_files'], touches: [{ path: clean, tree: recursive }] } as const;
  const admitted = await admitFile(parts, handle, { use, options });
  const signal = options.signal === undefined ? parts.closing : AbortSignal.any([parts.closing, options.signal]);
  const where = { path: admitted?.paths[0] ?? clean, real: admitted !== null };
  const share = parts.context.budgets.of('watches').take(options.caller?.owner ?? operator);
  const onEnd = (): void => share.free();
  try {
    return await openWatch(handle.sandbox, { ...where, recursive, intervalMs, signal, onEnd });
  } catch (error) {
    share.free();
    throw error;
  }
}

function checkInterval(intervalMs: number): void {
  if (!(intervalMs >= leastMs && intervalMs <= maxMs))
    throw new CaissonError('invalid_argument', `a watch looks every ${leastMs} to ${maxMs} ms`);
}
