/** `caisson/adapters/deepagents`: a backend of deepagents whose commands and files are those of a sandbox. */
import { CaissonError } from '../errors.ts';
import type { Caisson } from './api.ts';
import { fromBase64 } from './base64.ts';
import { glob } from './deepagents/glob.ts';
import { isText, linesOf, mimeOf } from './deepagents/text.ts';
import type {
  DeepAgentsSandbox,
  Download,
  Edited,
  Executed,
  FileError,
  FileInfo,
  Framework,
  Greps,
  Raw,
  Read,
} from './deepagents/types.ts';
import { type AdapterOptions, codeOf, isMissing, mustHave, notesOf, Place, refusalOf, refusedCode } from './place.ts';

export type { Caisson } from './api.ts';
export type { DeepAgentsSandbox, Framework } from './deepagents/types.ts';
export type { AdapterOptions } from './place.ts';

const maxEdited = 8 * 1024 * 1024;
const maxMatches = 10_000;

/** The sandbox is made at once, and stays when the agent has ended: `caisson.sandboxes.remove` removes it. */
export async function make(
  framework: Framework,
  api: Caisson,
  options: AdapterOptions = {},
): Promise<DeepAgentsSandbox> {
  mustHave(framework, ['BaseSandbox'], 'deepagents');
  const place = await Place.open(api, options);
  class CaissonSandbox extends framework.BaseSandbox {}
  return Object.assign(new CaissonSandbox(), {
    id: place.id,
    execute: async (command: string) => await execute(place, command),
    uploadFiles: async (files: [string, Uint8Array][]) =>
      await Promise.all(files.map(([path, bytes]) => upload(place, path, bytes))),
    downloadFiles: async (paths: string[]) => await Promise.all(paths.map((path) => download(place, path))),
    ls: async (path: string) => await orError(ls(place, path)),
    read: async (path: string, offset = 0, limit = 500) => await orError(read(place, path, { offset, limit })),
    readRaw: async (path: string) => await orError(readRaw(place, path)),
    write: async (path: string, content: string) => await orError(write(place, path, content)),
    edit: async (path: string, find: string, replace: string, all = false) =>
      await orError(edit(place, path, { find, replace, all })),
    grep: async (pattern: string, path?: string | null, name?: string | null, max?: number | null) =>
      await orError(grep(place, { pattern, path: rootOf(place, path), name: name ?? null, max: max ?? maxMatches })),
    glob: async (pattern: string, path?: string) => await orError(glob(place, pattern, rootOf(place, path))),
    delete: async (path: string) => await orError(remove(place, path)),
  });
}

/** Its tools search `/` where the model names no directory: that is where commands start. */
const rootOf = (place: Place, path: string | null | undefined): string =>
  path === undefined || path === null || path === '/' ? place.cwd : place.absolute(path);

/** A model acts on the words of an error; an error that its call did not cause is thrown. */
async function orError<T extends object>(result: Promise<T>): Promise<T | { readonly error: string }> {
  try {
    return await result;
  } catch (error) {
    if (!(error instanceof CaissonError) || error.retryable || error.code === 'internal') throw error;
    return { error: error.remedy === null ? error.message : `${error.message}; ${error.remedy}` };
  }
}

async function execute(place: Place, command: string): Promise<Executed> {
  try {
    const { exit, stdout, stderr } = await place.sh(command);
    const output = `${stdout.text}${stderr.text}${notesOf(exit)}`;
    return { output, exitCode: codeOf(exit), truncated: stdout.truncated || stderr.truncated };
  } catch (error) {
    return { output: refusalOf(error), exitCode: refusedCode, truncated: false };
  }
}

async function upload(
  place: Place,
  path: string,
  bytes: Uint8Array,
): Promise<{ path: string; error: FileError | null }> {
  try {
    await place.api.files.write({ task: place.task, path, bytes });
    return { path, error: null };
  } catch (error) {
    return { path, error: fileErrorOf(error) };
  }
}

async function download(place: Place, path: string): Promise<Download> {
  try {
    return { path, content: await place.bytesOf(path), error: null };
  } catch (error) {
    return { path, content: null, error: fileErrorOf(error) };
  }
}

/** The four errors that its protocol has; any other error is thrown. */
function fileErrorOf(error: unknown): FileError {
  if (!(error instanceof CaissonError)) throw error;
  const { code, details } = error;
  const { reason } = details;
  if (isMissing(error)) return 'file_not_found';
  if (reason === 'directory') return 'is_directory';
  if (reason === 'permission' || code === 'policy_denied' || code === 'approval_required') return 'permission_denied';
  if (code === 'invalid_argument' && reason !== 'too-large') return 'invalid_path';
  throw error;
}

async function ls(place: Place, path: string): Promise<{ files: FileInfo[] }> {
  const { entries } = await place.api.files.list({ task: place.task, path });
  const base = path.endsWith('/') ? path : `${path}/`;
  return {
    files: entries.map(({ name, kind, size, modifiedAt }) => ({
      path: `${base}${name}${kind === 'directory' ? '/' : ''}`,
      is_dir: kind === 'directory',
      size,
      modified_at: modifiedAt,
    })),
  };
}

async function read(
  place: Place,
  path: string,
  window: { readonly offset: number; readonly limit: number },
): Promise<Read> {
  const content = await place.bytesOf(path);
  const mimeType = mimeOf(path, content);
  return isText(mimeType) ? { ...linesOf(new TextDecoder().decode(content), window), mimeType } : { content, mimeType };
}

async function readRaw(place: Place, path: string): Promise<Raw> {
  const { modifiedAt } = await place.api.files.stat({ task: place.task, path });
  const bytes = await place.bytesOf(path);
  const mimeType = mimeOf(path, bytes);
  const content = isText(mimeType) ? new TextDecoder().decode(bytes) : bytes;
  return { data: { content, mimeType, created_at: modifiedAt, modified_at: modifiedAt } };
}

/** The framework hands in base64 for a file whose name says that it is not text. */
async function write(place: Place, path: string, content: string): Promise<{ path: string; filesUpdate: null }> {
  const bytes = isText(mimeOf(path)) ? content : fromBase64(content);
  await place.api.files.write({ task: place.task, path, bytes });
  return { path, filesUpdate: null };
}

interface Edit {
  readonly find: string;
  readonly replace: string;
  readonly all: boolean;
}

async function edit(place: Place, path: string, { find, replace, all }: Edit): Promise<Edited> {
  const { task } = place;
  const { bytes, sha256 } = await place.api.files.read({ task, path, length: maxEdited });
  const occurrences = find === '' ? 0 : new TextDecoder().decode(bytes).split(find).length - 1;
  if (find === '' && bytes.length === 0) await place.api.files.write({ task, path, bytes: replace, expected: sha256 });
  else await place.api.files.patch({ task, path, edits: [{ find, replace, all }] });
  return { path, filesUpdate: null, occurrences: Math.max(1, occurrences) };
}

interface Grep {
  readonly pattern: string;
  readonly path: string;
  readonly name: string | null;
  readonly max: number;
}

async function grep(place: Place, { pattern, path, name, max }: Grep): Promise<Greps> {
  const input = {
    task: place.task,
    path,
    pattern,
    most: Math.min(max, maxMatches),
    ...(name === null ? {} : { name }),
  };
  const { matches, truncated } = await place.api.files.search(input);
  return { matches: matches.map(({ path, line, text }) => ({ path, line, text })), truncated };
}

async function remove(place: Place, path: string): Promise<{ path: string; filesUpdate: null }> {
  await place.api.files.remove({ task: place.task, path, recursive: true });
  return { path, filesUpdate: null };
}
