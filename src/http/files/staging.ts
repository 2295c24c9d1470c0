/** A file that comes from a client: on disk and whole, or nowhere. Only then is anything in the sandbox touched. */
import { createHash, randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Share } from '../../budget/types.ts';
import { CaissonError, toCaissonError } from '../../errors.ts';
import { lives } from '../../lib/lives.ts';
import { httpError } from '../problems.ts';
import type { Upload } from '../types.ts';

const maxBytes = 64 * 1024 ** 3;
/** A client that sends less within such a time is gone, or holds the place of others. */
const rate = { everyMs: 60_000, leastBytes: 60 * 1024 };
/** Left free for the database, the audit and the journal on the same disk. */
const leftFreeBytes = 256 * 1024 ** 2;
/** So much may come between two looks at the disk. */
const lookBytes = 16 * 1024 ** 2;

interface Staging {
  /** Below the state directory. */
  readonly directory: string;
  /** Bytes that Content-Length says; `null`: the request has no such header. */
  readonly length: number | null;
  /** Base64, as Repr-Digest or Content-Digest says (RFC 9530); `null`: neither does. */
  readonly digest: string | null;
  readonly signal: AbortSignal;
  /** What the owner may have on its way: it grows with the bytes, and is freed by the caller when the file is gone. */
  readonly share: Share;
  /** Absent: as usual. For tests. */
  readonly slowest?: typeof rate;
}

export async function stage(
  body: Readable,
  { directory, length, digest, signal, share, slowest = rate }: Staging,
): Promise<Upload> {
  share.grow(Math.min(length ?? 0, maxBytes));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  checkFree(directory);
  const path = join(directory, `upload-${process.pid}-${randomBytes(12).toString('hex')}`);
  // Opened before the body flows: a stream that opens by itself may fail after its reader has gone, which no one would catch.
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  let lookAt = lookBytes;
  const take = (bytes: number): void => {
    size += bytes;
    if (size > maxBytes) throw httpError(413, `a file has at most ${maxBytes} bytes`);
    if (size > share.amount) share.grow(size - share.amount);
    if (size < lookAt) return;
    lookAt = size + lookBytes;
    checkFree(directory);
  };
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      try {
        take(chunk.length);
      } catch (error) {
        return done(toCaissonError(error));
      }
      done(null, chunk);
    },
  });
  let before = 0;
  const pace = setInterval(() => {
    if (size - before < slowest.leastBytes) counted.destroy(httpError(408, 'the body comes too slowly'));
    before = size;
  }, slowest.everyMs);
  try {
    await pipeline(body, counted, file.createWriteStream(), { signal });
    if (length !== null && size !== length) throw new CaissonError('invalid_argument', 'the body is not complete');
    const sha256 = hash.digest();
    if (digest !== null && sha256.toString('base64') !== digest)
      throw new CaissonError('invalid_argument', 'the body is not what its digest says');
    return { path, size, sha256: sha256.toString('hex') };
  } catch (error) {
    await rm(path, { force: true });
    throw error instanceof CaissonError
      ? error
      : new CaissonError('canceled', 'the upload broke off', { cause: error });
  } finally {
    clearInterval(pace);
  }
}

function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Throws `resource_exhausted`. A system that does not say how much is free shows a full disk when a write fails. */
function checkFree(directory: string): void {
  if (freeBytes(directory) > leftFreeBytes) return;
  throw new CaissonError(
    'resource_exhausted',
    'the disk of the state directory is nearly full, and no upload is taken',
    {
      remedy: 'free space on that disk, then try again',
    },
  );
}

/** Removes what services that were killed have left. Another one may work on the same state directory. */
export async function clearStaged(directory: string): Promise<void> {
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const pid = /^upload-(\d{1,10})-/.exec(name)?.[1];
    if (pid === undefined || !lives(Number(pid))) await rm(join(directory, name), { recursive: true, force: true });
  }
}

/** The SHA-256 of a digest header; `null` without one. Throws `invalid_argument` for one of another form. */
export function digestIn(...headers: readonly (string | undefined)[]): string | null {
  const header = headers.find((each) => each !== undefined);
  if (header === undefined) return null;
  const found = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/.exec(header)?.[1];
  if (found === undefined) throw new CaissonError('invalid_argument', 'a digest header without sha-256');
  return found;
}

export const digestHeader = (sha256: string): string => `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`;
