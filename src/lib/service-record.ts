/**
 * What a running service writes into its state directory, so that the command line finds it. Read at the start of every
 * command: nothing else is loaded for it.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { CaissonError } from '../errors.ts';
import { lives } from './lives.ts';
import { startTimeOf } from './start-time.ts';

export interface ServiceRecord {
  readonly version: string;
  readonly pid: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Clock ticks since boot; `null` where there is no /proc. */
  readonly startTime: string | null;
  /** Absolute path of its unix socket. */
  readonly socket: string;
  /** Its ordinary address. */
  readonly url: string;
  /** Mark by `directoryOf`. A copy of the directory holds a copy of the record, and is not what the service works on. */
  readonly directory: string | null;
  /** Output of `readlink /proc/self/ns/mnt`; `null` where there is no /proc. */
  readonly mountNamespace: string | null;
  /** Asks on the socket for the operator: scopes run, read, admin. */
  readonly token: string;
}

export const recordFile = (home: string): string => `${home}/service.json`;
/** The token that answers questions, alone in its file. */
export const answerFile = (home: string): string => `${home}/service.answer`;

/** Mark of a directory. It leaves out the number of the device, which may be another one after a restart of this host. */
export function directoryOf(home: string): string {
  const { ino, birthtimeNs } = statSync(home, { bigint: true });
  return `${ino}:${birthtimeNs}`;
}

const limitBytes = 64 * 1024;

/**
 * `null`: no service of this directory runs. Throws `failed_precondition` for a file that cannot be read, for one of another form, and for one that
 * another user can write: all that a command sends would go to the socket that it names.
 */
export function readServiceRecord(home: string): ServiceRecord | null {
  const path = recordFile(home);
  const text = readBounded(path);
  if (text === null) return null;
  const record = parsed(text);
  if (record !== null) return record.directory === null || record.directory === directoryOf(home) ? record : null;
  throw new CaissonError('failed_precondition', `${path} is not the record of a service`, {
    remedy: `end the service, where one runs, and remove ${path}`,
  });
}

/** The process that wrote the record, and not a later one of the same number. */
export function isServiceAlive({ pid, startTime }: Pick<ServiceRecord, 'pid' | 'startTime'>): boolean {
  return startTime === null ? lives(pid) : startTimeOf(pid) === startTime;
}

function readBounded(path: string): string | null {
  let file: number;
  try {
    // Without O_NONBLOCK a named pipe in this place would keep the command waiting for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new CaissonError('failed_precondition', `${path} cannot be read`, { cause: error });
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) throw new CaissonError('failed_precondition', `${path} is not a regular file`);
    refuseForeign(path, found);
    refuseForeign(dirname(path), statSync(dirname(path)));
    const bytes = Buffer.alloc(limitBytes);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, limitBytes, 0));
  } finally {
    closeSync(file);
  }
}

/** Checks like those of the state directory where it is opened: root may use what belongs to the user it works for. */
function refuseForeign(path: string, { uid, mode }: Stats): void {
  const self = process.getuid?.();
  if (self !== undefined && self !== 0 && uid !== self && uid !== 0)
    throw new CaissonError('failed_precondition', `${path} belongs to another user (uid ${uid})`, {
      remedy: 'set CAISSON_HOME to a directory of your own',
    });
  if ((mode & 0o022) !== 0)
    throw new CaissonError('failed_precondition', `${path} can be written by other users`, {
      remedy: `chmod go-w ${path}`,
    });
}

function parsed(text: string): ServiceRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const of = (key: keyof ServiceRecord): unknown => Reflect.get(Object(value), key);
  const [version, startedAt, socket, url, token] = [
    textOf(of('version')),
    textOf(of('startedAt')),
    textOf(of('socket')),
    textOf(of('url')),
    textOf(of('token')),
  ];
  const pid = of('pid');
  if (version === null || startedAt === null || socket === null || url === null || token === null) return null;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null;
  const [startTime, mountNamespace] = [textOf(of('startTime')), textOf(of('mountNamespace'))];
  return { version, pid, startedAt, startTime, socket, url, mountNamespace, token, directory: textOf(of('directory')) };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
