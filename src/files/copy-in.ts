/**
 * Copies a file or a tree of the host into a sandbox, with the rules of `docker cp`: into a directory that exists,
 * otherwise as the target itself, whose parent must exist; `DIR/.` means what is in it.
 *
 * It is a tar stream into an exec, on every backend: the files appear below tmpfs mounts too, belong to the user of the
 * sandbox, and no engine unpacks anything with rights of its own. Set-user-id bits and owners stay behind; links go
 * along when they lead to a place inside the tree.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import type { Cancelable, Process, ProcessEnd, Progress, Sandbox } from '../backend.ts';
import { abortError, CaissonError } from '../errors.ts';
import { insidePath } from './inside-path.ts';
import type { OnFile } from './pack.ts';
import { meter } from './progress.ts';
import { scriptOf } from '../inside/script.ts';
import { type Listed, openSource } from './source.ts';
import { aborted, endOf, transferError, killNow, startTransfer, type Transfer } from './transfer.ts';
import type { CopyResult, Only, Vet } from './types.ts';

export interface CopyInOptions extends Cancelable {
  /** Host path. A link there is followed, unless a sandbox can write the directory it is in (`untrusted`). */
  readonly source: string;
  /** Absolute path in the sandbox. A trailing slash demands a directory. */
  readonly target: string;
  /** Host directories that a sandbox can write. */
  readonly untrusted?: readonly string[];
  readonly vet?: Vet;
  /** Filter of the entries of a tree. */
  readonly only?: Only;
  /** Called for each file of a tree with what was sent of it. */
  readonly onFile?: OnFile;
  /** For the processes of the copy, `CAISSON_EXEC` above all. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: Progress) => void;
}

/** How long the sandbox may take to tidy up after a copy that was given up. */
const tidyMs = 2000;

/**
 * Throws `not_found` (source, or the parent of the target), `failed_precondition` (no tar, something in the way, tar
 * failed), `unavailable` (connection lost, not everything arrived), `canceled`. A file is replaced by rename: it is old
 * or new, and after an error old, unless the connection was lost or the caller gave up after the last byte had gone.
 */
export async function copyIn(sandbox: Sandbox, options: CopyInOptions): Promise<CopyResult> {
  if (options.signal?.aborted) throw abortError(options.signal);
  const { path, slash } = insidePath(options.target);
  using source = openSource(options.source, options.untrusted ?? []);
  const scratch = `.caisson-${randomBytes(8).toString('hex')}`;
  const args = [path, source.name, source.kind, scratch, String(source.fileBytes), slash ? 'slash' : ''];
  const starting = startTransfer(sandbox, {
    script: scriptOf('files/exits', 'files/links', 'files/size', 'files/unpack'),
    args,
    stdin: true,
    env: options.env ?? {},
    signal: options.signal,
  });
  const sizes = options.onProgress !== undefined;
  const { transfer, listed } = await both(starting, source.list({ ...options, sizes }));
  const sent = await send(transfer.process, listed, options);
  const failure = transferError(sent.end, options.target, transfer.said());
  if (failure !== null) throw failure;
  if (!sent.all)
    throw new CaissonError('unavailable', 'the sandbox stopped reading before everything was sent', {
      remedy: 'try again',
    });
  return { ...listed.result, bytes: sent.bytes };
}

/** Starting a process in a sandbox and listing a tree take about as long, so they go side by side. */
async function both(
  starting: Promise<Transfer>,
  listing: Promise<Listed>,
): Promise<{ transfer: Transfer; listed: Listed }> {
  const [started, listed] = await Promise.allSettled([starting, listing]);
  if (started.status === 'rejected') throw started.reason;
  if (listed.status === 'fulfilled') return { transfer: started.value, listed: listed.value };
  await giveUp(started.value.process);
  throw listed.reason;
}

interface SendResult {
  readonly end: ProcessEnd;
  readonly bytes: number;
  /** Whether the archive was handed over to its end. */
  readonly all: boolean;
}

async function send(process: Process, listed: Listed, { signal, onProgress }: CopyInOptions): Promise<SendResult> {
  const progress = meter('copying into the sandbox', listed.bytes, onProgress);
  let bytes = 0;
  const chunks = listed.chunks((packed) => {
    bytes += packed;
    progress.add(packed);
  });
  try {
    // What the tools print has no reader; unread, it would stop them.
    process.stdout.on('error', () => {}).resume();
    const all = await pour(chunks, process, signal);
    process.stdin?.end();
    const end = await endOf(process, signal);
    progress.end();
    return { end, bytes, all };
  } catch (error) {
    await giveUp(process);
    throw error;
  } finally {
    process.release();
  }
}

/** Reads one chunk ahead of the one being written, never more (see `ArchiveChunks`). False when the other side ended first. */
async function pour(
  chunks: AsyncIterable<Buffer>,
  process: Process,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { stdin } = process;
  if (stdin === null) throw new CaissonError('internal', 'the backend gave no stdin');
  // A closed pipe means that the tools have ended; their exit says why.
  stdin.on('error', () => {});
  let over = false;
  const ended = process.wait().then(() => {
    over = true;
  });
  const stop = signal === undefined ? ended : Promise.race([ended, aborted(signal)]);
  stop.catch(() => {});
  let written: Promise<void> = Promise.resolve();
  for await (const chunk of chunks) {
    await Promise.race([written, stop]);
    if (over || stdin.destroyed) return false;
    written = write(stdin, chunk);
  }
  await Promise.race([written, stop]);
  return true;
}

function write(stdin: Writable, chunk: Buffer): Promise<void> {
  return new Promise((resolve) => {
    stdin.write(chunk, () => resolve());
  });
}

/** The end of the stream makes the tools inside fail and remove what they had unpacked; a kill would leave it there. */
async function giveUp(process: Process): Promise<void> {
  process.stdin?.on('error', () => {}).end();
  const ended = process.wait().then(
    () => true,
    () => true,
  );
  const tidy = await Promise.race([ended, setTimeout(tidyMs, false, { ref: false })]);
  if (!tidy) await killNow(process);
  process.release();
}
