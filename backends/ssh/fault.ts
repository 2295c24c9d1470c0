/** From what ssh2 and the system tell to codes: by level, errno and reason, never by words. */
import { CaissonError } from '../../src/errors.ts';

export function textField(error: unknown, field: string): string | null {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : null;
}

/** Why no connection came about. */
export function connectError(error: unknown, target: string): CaissonError {
  if (error instanceof CaissonError) return error;
  const level = textField(error, 'level');
  if (level === 'client-authentication') {
    return new CaissonError('unauthenticated', `${target} accepts none of the keys that were offered`, {
      cause: error,
      remedy:
        'add the public key to ~/.ssh/authorized_keys there, or set terminal.ssh_user and terminal.ssh_key; `ssh -v` tells more',
    });
  }
  const system = textField(error, 'code');
  const why = system ?? (level === 'client-timeout' ? 'no answer in time' : (level ?? 'the connection ended'));
  return new CaissonError('unavailable', `${target} cannot be reached by ssh (${why})`, {
    cause: error,
    details: { level, system },
    remedy: 'check terminal.ssh_host and terminal.ssh_port, and that sshd runs there',
  });
}

export function connectionLostError(target: string, cause: unknown): CaissonError {
  return new CaissonError('unavailable', `the connection to ${target} broke`, { cause });
}
