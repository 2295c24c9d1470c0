/** Why a service cannot listen where it is to, and what to do about it. */
import { CaissonError } from '../errors.ts';
import { type Holder, holderOf } from './port-holder.ts';

/** On a host and port, or at the path of a socket. */
export interface ListenAddress {
  readonly host: string | null;
  readonly port: number;
  readonly socket: string | null;
}

/** An error that is not about the place comes back as it is. */
export function notListening(
  cause: unknown,
  place: ListenAddress,
  holder: (port: number) => Holder | null = holderOf,
): unknown {
  const errno = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (place.socket !== null) return noSocket(errno, place.socket, cause);
  const at = `port ${place.port} of ${place.host ?? ''}`;
  switch (errno) {
    case 'EADDRINUSE':
      return addressInUseError(at, holder(place.port), cause);
    case 'EACCES':
    case 'EPERM':
      return new CaissonError('failed_precondition', `this user may not listen on ${at}`, {
        cause,
        remedy: 'take a port from 1024 on: --port, or server.port',
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CaissonError('failed_precondition', `${place.host ?? ''} is not an address of this host`, {
        cause,
        remedy: 'listen on 127.0.0.1, or on an address that `ip address` shows: --host, or server.host',
      });
    default:
      return cause;
  }
}

function addressInUseError(at: string, holder: Holder | null, cause: unknown): CaissonError {
  const by = holder === null ? 'another process' : `process ${holder.pid} (${holder.name})`;
  return new CaissonError('conflict', `${at} is in use by ${by}`, {
    cause,
    details: holder === null ? {} : { pid: holder.pid },
    remedy:
      'choose another with --port (0: a free one); caisson service status shows the service of this state directory',
  });
}

const socketReasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there, or the directory is not there',
  EPERM: 'this user may not write there',
  ENOENT: 'the directory is not there',
  ENOTDIR: 'a part of the path is not a directory',
  EROFS: 'the file system is read-only',
  EINVAL: 'the path is longer than a socket may have',
  ENAMETOOLONG: 'the path is longer than a socket may have',
};

function noSocket(errno: string, socket: string, cause: unknown): unknown {
  const reason = socketReasons[errno];
  if (reason === undefined) return cause;
  return new CaissonError('failed_precondition', `a socket cannot be made at ${socket}: ${reason}`, {
    cause,
    remedy: 'choose another path with --socket, or server.socket',
  });
}
