/** The path of the socket of a state directory, and a listener on it. */
import { once } from 'node:events';
import { lstat, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { CaissonError, toCaissonError } from '../../errors.ts';
import { answerFile, readServiceRecord, recordFile } from '../../lib/service-record.ts';

/** `sun_path` of unix(7) without its last byte, which is zero. */
const maxPathBytes = 107;
const privateName = /^caisson-[A-Za-z0-9]{6}$/;

export const defaultSocket = (home: string): string => join(home, 'service.sock');

/** The path, in a private directory of its own where that of the state directory is too long. */
export async function socketFor(home: string): Promise<string> {
  const usual = defaultSocket(home);
  if (Buffer.byteLength(usual) <= maxPathBytes) return usual;
  const directory = await mkdtemp(join(tmpdir(), 'caisson-'));
  const path = join(directory, 's');
  if (Buffer.byteLength(path) <= maxPathBytes) return path;
  await rmdir(directory);
  throw new CaissonError('failed_precondition', `the paths ${usual} and ${path} are too long for a socket`, {
    remedy: 'choose a shorter state directory, or a shorter TMPDIR',
  });
}

/** For this user alone from the first moment on: node binds it before `listen` returns. */
export async function listenAt(app: FastifyInstance, path: string): Promise<void> {
  await app.ready();
  const before = process.umask(0o177);
  try {
    app.server.listen(path);
  } finally {
    process.umask(before);
  }
  await once(app.server, 'listening').catch((cause: unknown) => {
    throw new CaissonError('failed_precondition', `no socket can be made at ${path}`, {
      cause: toCaissonError(cause),
    });
  });
}

/** Only for the holder of the claim: what a service that was killed left. */
export async function clearLeft(home: string): Promise<void> {
  const socket = socketOfLast(home);
  await rm(answerFile(home), { force: true });
  await rm(recordFile(home), { force: true });
  await clearSocket(defaultSocket(home));
  if (socket !== null && isPrivate(socket)) await clearPrivate(socket);
}

/** A record that cannot be read names no socket. */
function socketOfLast(home: string): string | null {
  try {
    return readServiceRecord(home)?.socket ?? null;
  } catch {
    return null;
  }
}

async function clearSocket(path: string): Promise<void> {
  const there = await lstat(path).catch(() => null);
  if (there === null) return;
  if (!there.isSocket()) throw new CaissonError('failed_precondition', `${path} is there, and is no socket`);
  await rm(path, { force: true });
}

export const isPrivate = (socket: string): boolean =>
  dirname(dirname(socket)) === tmpdir() && privateName.test(basename(dirname(socket)));

/** The directory below the one for temporary files, with the socket in it. */
export async function clearPrivate(socket: string): Promise<void> {
  await rm(socket, { force: true });
  await rmdir(dirname(socket)).catch(() => undefined);
}
