/**
 * Copies a file or a tree out of a sandbox, with the rules of `docker cp`: into a directory that exists, otherwise as the
 * target itself, whose parent must exist; `DIR/.` means what is in it.
 *
 * Everything that comes is hostile, the tar that sends it too. It is read by the strict extractor into a private
 * directory beside the target, and renamed into place when the archive was complete and tar has ended with 0. Anything
 * the extractor refuses refuses the whole copy.
 */
import type { Cancelable, Process, Progress, Sandbox } from '../backend.ts';
import { abortError, CaissonError } from '../errors.ts';
import { yieldOften } from './yield-often.ts';
import { fromText } from './byte-name.ts';
import { Extraction, type Extracted, type ExtractOptions } from './extract.ts';
import { errnoOf } from './fs-error.ts';
import { insidePath, sourceName } from './inside-path.ts';
import { type CopyLimits, withDefaults } from './limits.ts';
import { openDestination } from './place.ts';
import { meter } from './progress.ts';
import { archiveRefusedError } from './refusal.ts';
import { scriptOf } from '../inside/script.ts';
import { openStaging } from './staging.ts';
import { TarReader } from './tar-reader.ts';
import { endOf, transferError, killNow, startTransfer, type Transfer } from './transfer.ts';
import type { CopyResult, Vet } from './types.ts';

export interface CopyOutOptions extends Cancelable {
  /** Absolute path in the sandbox. A link there is followed by the sandbox itself. */
  readonly source: string;
  /** Host path. Links in it are followed, unless a sandbox can write the directory they are in (`untrusted`). */
  readonly target: string;
  readonly limits?: Partial<CopyLimits>;
  /** `skip` lists links and leaves them out. `inside` makes those that lead to a place inside the tree. */
  readonly symlinks?: 'skip' | 'inside';
  /** A directory in the sandbox whose content stays there. */
  readonly withheld?: string | null;
  /** Host directories that a sandbox can write. */
  readonly untrusted?: readonly string[];
  readonly vet?: Vet;
  /** For the processes of the copy, `CAISSON_EXEC` above all. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onProgress?: (progress: Progress) => void;
  /** Called before so many bytes of content are written to the host. What it throws ends the copy. */
  readonly onBytes?: (bytes: number) => void;
}

/**
 * Throws `permission_denied` (refused, with the rule and the entry in `details`, or the host does not allow it),
 * `policy_denied` (it leads into what is withheld), what `vet` throws, `not_found` (source, or the parent of the target),
 * `failed_precondition` (no tar, tar failed, something in the way), `unavailable` (connection lost, stream ended early),
 * `resource_exhausted` (disk full), `timed_out`, `canceled`.
 */
export async function copyOut(sandbox: Sandbox, options: CopyOutOptions): Promise<CopyResult> {
  if (options.signal?.aborted) throw abortError(options.signal);
  const source = insidePath(options.source);
  const limits = withDefaults(options.limits);
  const withheld = below(options.withheld ?? null, source.path);
  const signal = withDeadline(options.signal, limits.durationMs);
  const progress = meter('copying from the sandbox', null, options.onProgress);
  using destination = openDestination(options.target, sourceName(options.source, source.path), options.untrusted ?? []);
  await using staging = await openStaging(destination.base);
  const transfer = await startTransfer(sandbox, {
    script: scriptOf('files/exits', 'files/links', 'files/pack'),
    args: [source.path, source.slash ? 'contents' : '', options.withheld ?? '', withheld ?? ''],
    stdin: false,
    env: options.env ?? {},
    signal,
  });
  const extraction = new Extraction(staging.directory, {
    limits,
    symlinks: options.symlinks ?? 'skip',
    withheld: withheld === null ? null : withheld.split('/').map(fromText),
    vet: options.vet,
    onBytes: (bytes) => {
      options.onBytes?.(bytes);
      progress.add(bytes);
    },
  });
  const extracted = await receive(transfer, extraction, { path: options.source, limits, signal });
  await destination.place(staging.directory, extracted.root);
  progress.end();
  return extracted.result;
}

/** `null` when it is not below `source`, or is that itself. */
function below(path: string | null, source: string): string | null {
  const root = source === '/' ? source : `${source}/`;
  return path?.startsWith(root) === true ? path.slice(root.length) : null;
}

/** Node's timers hold no more. */
const longestTimerMs = 2 ** 31 - 1;

function withDeadline(signal: AbortSignal | undefined, durationMs: number): AbortSignal {
  const deadline = AbortSignal.timeout(Math.min(durationMs, longestTimerMs));
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
}

interface ReceiveOptions extends Pick<ExtractOptions, 'limits'> {
  readonly path: string;
  readonly signal: AbortSignal;
}

async function receive(transfer: Transfer, extraction: Extraction, options: ReceiveOptions): Promise<Extracted> {
  const { process, said } = transfer;
  // The current reader gets it; a later error has no reader.
  process.stdout.on('error', () => {});
  try {
    const reader = new TarReader(options.limits.pathBytes);
    await read(process, { reader, extraction, signal: options.signal });
    const drained = drain(process, reader);
    drained.catch(() => {});
    const failure = transferError(await Promise.race([endOf(process, options.signal), drained]), options.path, said());
    if (failure !== null) throw failure;
    reader.finish();
    return extraction.finish();
  } catch (error) {
    await killNow(process);
    throw error;
  } finally {
    extraction.close();
    process.release();
  }
}

interface Reading {
  readonly reader: TarReader;
  readonly extraction: Extraction;
  readonly signal: AbortSignal;
}

/** Until the archive or the stream ends, whichever comes first. */
async function read({ stdout }: Process, { reader, extraction, signal }: Reading): Promise<void> {
  const yieldNow = yieldOften(signal);
  const stop = (): void => {
    stdout.destroy(abortError(signal));
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of chunksOf(stdout)) {
      for (const event of reader.write(chunk)) {
        const writing = extraction.take(event);
        if (writing !== undefined) await writing;
      }
      await yieldNow();
      if (reader.ended) return;
    }
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    throw new CaissonError('unavailable', 'the connection to the sandbox broke during the copy', {
      cause: error,
      remedy: 'try again; nothing was written',
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Not destroyed when left early: tar must be able to write the zeros after its end. */
function chunksOf(stdout: Process['stdout']): AsyncIterable<Buffer> {
  return stdout.iterator({ destroyOnReturn: false });
}

/** Reads on, so that tar can end, and fails when that goes on for too long. Never resolves. */
function drain({ stdout }: Process, reader: TarReader): Promise<never> {
  return new Promise((_, reject) => {
    if (!reader.ended) return;
    stdout.on('data', (chunk: Buffer) => {
      try {
        for (const _event of reader.write(chunk)) throw archiveRefusedError('trailer', 'it goes on after its end');
      } catch (error) {
        reject(error);
      }
    });
  });
}
