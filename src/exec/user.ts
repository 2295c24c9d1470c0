/** A sandbox as one of its users has it. */
import type { Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { given } from '../lib/given.ts';

export type UserSandbox = Pick<Sandbox, 'exec' | 'pty' | 'power' | 'stats'>;

/**
 * Starts commands as the user, and finds and ends their processes as the same user: root of a sandbox has no capability to signal
 * processes of other users, or to read their environment. Throws `not_supported` where the sandbox has no users to choose
 * from.
 */
export function sandboxOf(sandbox: Sandbox, user: string | undefined): UserSandbox {
  if (user === undefined) return sandbox;
  if (sandbox.users === undefined) throw usersNotSupportedError();
  const place = sandbox.users.as(user);
  const { power, stats } = sandbox;
  return { exec: (command, options) => place.exec(command, options), ...given({ pty: place.pty, power, stats }) };
}

export const usersNotSupportedError = (): CaissonError =>
  new CaissonError('not_supported', 'commands of this sandbox run as one user, and not as another one', {
    remedy:
      'leave out the user; docs/guarantees.md says which backends have it, and a sandbox that runs as the host user has no other',
  });
