/**
 * An archive that a client sends: unpacked by the strict extractor onto the disk of the service, all of it, before the
 * sandbox is touched. What is put into the sandbox is packed anew from there, as any copy.
 */
import { join } from 'node:path';
import type { Cancelable } from '../../backend.ts';
import type { Share } from '../../budget/types.ts';
import { CaissonError } from '../../errors.ts';
import { Extraction } from '../extract.ts';
import { type CopyLimits, withDefaults } from '../limits.ts';
import { payloadName } from '../pack.ts';
import { countedStaging, type PrivateStaging } from '../private-staging.ts';
import { asUpload } from '../refusal.ts';
import { TarReader } from '../tar-reader.ts';
import { yieldOften } from '../yield-often.ts';

export interface ReceiveOptions extends Cancelable {
  readonly archive: AsyncIterable<Uint8Array>;
  /** Below the state directory. */
  readonly directory: string;
  /** What the owner may have on its way: it grows with the bytes, and is freed when they are gone. */
  readonly share: Share;
  readonly limits?: Partial<Pick<CopyLimits, 'bytes' | 'entries'>> | undefined;
}

export interface ReceivedArchive extends AsyncDisposable {
  /** Path on this host; its content is what the archive held. */
  readonly path: string;
}

/** Throws `invalid_argument` for what an archive may not hold, and for one that is not complete. */
export async function receiveArchive({ directory, ...options }: ReceiveOptions): Promise<ReceivedArchive> {
  const staging = await countedStaging(directory, options.share);
  try {
    await extract(staging, options);
    return { path: join(staging.path, payloadName), [Symbol.asyncDispose]: () => staging[Symbol.asyncDispose]() };
  } catch (error) {
    await staging[Symbol.asyncDispose]();
    throw asUpload(error);
  }
}

async function extract(
  { directory }: PrivateStaging,
  { archive, limits: wanted, share, signal }: Omit<ReceiveOptions, 'directory'>,
): Promise<void> {
  const limits = withDefaults(wanted);
  const reader = new TarReader(limits.pathBytes, { global: true });
  const onBytes = (bytes: number): void => share.grow(bytes);
  const extraction = new Extraction(directory, { limits, symlinks: 'inside', isUpload: true, onBytes });
  const yieldNow = yieldOften(signal);
  try {
    for await (const bytes of archive) {
      for (const event of reader.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) {
        const writing = extraction.take(event);
        if (writing !== undefined) await writing;
      }
      await yieldNow();
    }
    if (!reader.ended) throw archiveCutError();
    extraction.finish();
  } finally {
    extraction.close();
  }
}

function archiveCutError(): CaissonError {
  return new CaissonError('invalid_argument', 'the archive is not a whole tar: it ends before its end mark', {
    remedy: 'send an uncompressed tar, all of it; nothing was changed',
  });
}
