/** `caisson/adapters/ai`: the `experimental_sandbox` of the AI SDK, by the sandbox of a task. */
import { CaissonError } from '../errors.ts';
import type {
  AiSandbox,
  FileStat,
  Framework,
  PathInput,
  Process,
  ProcessInput,
  SpawnInput,
  WritableProcess,
} from './ai/types.ts';
import type { Caisson, Started } from './api.ts';
import { inputStream, outputStream, partsOf } from './ai/streams.ts';
import { type AdapterOptions, codeOf, isMissing, mustHave, options as cancel, Place, type Where } from './place.ts';

export type { AiSandbox, Framework } from './ai/types.ts';
export type { Caisson } from './api.ts';
export type { AdapterOptions } from './place.ts';

/** The sandbox is made at once, and stays when the model has ended: `caisson.sandboxes.remove` removes it. */
export async function make(framework: Framework, api: Caisson, options: AdapterOptions = {}): Promise<AiSandbox> {
  mustHave(framework, ['generateText', 'tool'], 'ai');
  const place = await Place.open(api, options);
  return {
    description: descriptionOf(place),
    readFile: async ({ path, abortSignal }) => await orNull(streamOf(place, path, abortSignal)),
    readBinaryFile: async ({ path, abortSignal }) => await orNull(place.bytesOf(path, abortSignal)),
    readTextFile: async (input) => await orNull(textOf(place, input)),
    writeFile: async ({ path, content, abortSignal }) => {
      await write(place, { path, abortSignal, content: await place.collected(partsOf(content), path) });
    },
    writeBinaryFile: async (input) => await write(place, input),
    writeTextFile: async ({ content, encoding, ...at }) =>
      await write(place, { ...at, content: encoded(content, encoding) }),
    stat: async (input) => await orNull(stat(place, input)),
    listDirectory: async ({ path, abortSignal }) => await orNull(list(place, path, abortSignal)),
    deleteFile: async (input) => (await orNull(remove(place, input))) ?? false,
    spawn: spawnOf(place),
    run: async (input) => await run(place, input),
  };
}

const descriptionOf = ({ cwd, backend }: Place): string =>
  `Shell commands run in a Linux sandbox (${backend}). They start in ${cwd}, and relative paths begin there.`;

async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

const whereOf = ({ workingDirectory, env, abortSignal }: ProcessInput): Where => ({
  cwd: workingDirectory,
  env,
  signal: abortSignal,
});

/** Throws the reason of the signal where that ended the command. */
async function run(place: Place, input: ProcessInput): ReturnType<AiSandbox['run']> {
  const { exit, stdout, stderr } = await place.sh(input.command, whereOf(input));
  if (exit.reason === 'canceled') input.abortSignal?.throwIfAborted();
  return { exitCode: codeOf(exit), stdout: stdout.text, stderr: stderr.text };
}

function spawnOf(place: Place): AiSandbox['spawn'] {
  function spawn(input: ProcessInput & { stdin: true }): Promise<WritableProcess>;
  function spawn(input: ProcessInput & { stdin?: false }): Promise<Process>;
  function spawn(input: SpawnInput): Promise<Process | WritableProcess>;
  async function spawn(input: SpawnInput): Promise<Process | WritableProcess> {
    const running = await place.start(input.command, { ...whereOf(input), stdin: input.stdin ?? false });
    const { stdin } = running;
    const process = processOf(running, input.abortSignal);
    return stdin === null ? process : { ...process, stdin: inputStream(stdin) };
  }
  return spawn;
}

const processOf = (running: Started, signal?: AbortSignal): Process => ({
  stdout: outputStream(running.stdout),
  stderr: outputStream(running.stderr),
  wait: async () => {
    const exit = await running.exit;
    if (exit.reason === 'canceled') signal?.throwIfAborted();
    return { exitCode: codeOf(exit) };
  },
  kill: async () => await running.cancel(),
});

async function streamOf(place: Place, path: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { parts } = await place.api.files.stream({ task: place.task, path }, cancel(signal));
  return outputStream(parts);
}

type TextInput = Parameters<AiSandbox['readTextFile']>[0];

/** Lines are numbered from 1 on, and both ends belong to the range. */
async function textOf(place: Place, { path, abortSignal, encoding, startLine, endLine }: TextInput): Promise<string> {
  const text = new TextDecoder(encoding ?? 'utf-8').decode(await place.bytesOf(path, abortSignal));
  if (startLine === undefined && endLine === undefined) return text;
  return text
    .split('\n')
    .slice((startLine ?? 1) - 1, endLine)
    .join('\n');
}

function encoded(text: string, encoding = 'utf-8'): Uint8Array {
  if (/^utf-?8$/i.test(encoding)) return new TextEncoder().encode(text);
  throw new CaissonError('not_supported', `text is written as UTF-8, not as ${encoding}`, {
    remedy: 'encode it, and write the bytes by writeBinaryFile',
  });
}

async function write(
  { api, task }: Place,
  { path, content: bytes, abortSignal }: PathInput & { readonly content: Uint8Array },
): Promise<void> {
  await api.files.write({ task, path, bytes }, cancel(abortSignal));
}

/** A link is followed by reading nothing of it: the reason of the refusal tells what it leads to. */
async function stat({ api, task }: Place, { path, abortSignal }: PathInput): Promise<FileStat> {
  const { kind, size } = await api.files.stat({ task, path }, cancel(abortSignal));
  if (kind !== 'symlink') return { type: kind, size };
  try {
    const target = await api.files.read({ task, path, length: 0 }, cancel(abortSignal));
    return { type: 'file', size: target.size };
  } catch (error) {
    const reason = error instanceof CaissonError ? error.details['reason'] : undefined;
    if (reason === 'directory') return { type: 'directory', size: 0 };
    if (reason === 'special') return { type: 'other', size: 0 };
    throw error;
  }
}

async function list({ api, task }: Place, path: string, signal?: AbortSignal): ReturnType<AiSandbox['listDirectory']> {
  const { entries, truncated } = await api.files.list({ task, path }, cancel(signal));
  if (truncated)
    throw new CaissonError('resource_exhausted', `${path} has more than ${entries.length} entries`, {
      remedy: 'list it by a command',
    });
  return entries.map(({ name, kind }) => ({ name, type: kind }));
}

async function remove({ api, task }: Place, { path, abortSignal }: PathInput): Promise<boolean> {
  const { kind } = await api.files.stat({ task, path }, cancel(abortSignal));
  if (kind === 'directory')
    throw new CaissonError('failed_precondition', `${path} is a directory`, {
      details: { reason: 'directory' },
      remedy: 'remove it by a command',
    });
  await api.files.remove({ task, path }, cancel(abortSignal));
  return true;
}
