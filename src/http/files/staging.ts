/** A file that comes from a client: on disk and whole, or nowhere. Only then is anything in the sandbox touched. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CaissonError } from '../../errors.ts';
import { lives } from '../../lib/lives.ts';
import { refusal } from '../problems.ts';
import type { Upload } from '../route.ts';

const mostBytes = 64 * 1024 ** 3;
/** A client that sends nothing for so long is gone. */
const idleMs = 60_000;

interface Staging {
  /** Below the state directory. */
  readonly directory: string;
  /** As Content-Length says; `null`: it does not. */
  readonly length: number | null;
  /** Base64, as Repr-Digest or Content-Digest says (RFC 9530); `null`: neither does. */
  readonly digest: string | null;
  readonly signal: AbortSignal;
}

export async function stage(body: Readable, { directory, length, digest, signal }: Staging): Promise<Upload> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `upload-${process.pid}-${randomBytes(12).toString('hex')}`);
  // Opened before the body flows: a stream that opens by itself may fail after its reader has gone, which no one would catch.
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      idle.refresh();
      done(size > mostBytes ? refusal(413, `a file has at most ${mostBytes} bytes`) : null, chunk);
    },
  });
  const idle = setTimeout(() => counted.destroy(refusal(408, 'nothing has come for a minute')), idleMs);
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
    clearTimeout(idle);
  }
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
