/**
 * The directory in which Caisson keeps what must live on inside a sandbox: sessions and detached processes.
 *
 *   a sandbox with a file system of its own   ${XDG_STATE_HOME:-$HOME/.local/state}/caisson, which a persistent sandbox
 *                                             keeps; /tmp/.caisson where that cannot be written
 *   one that shares a home with others        the directory SANDBOX in it
 *     (local, ssh)
 *
 * Everything read back from there is the sandbox's word: bounded and checked, never trusted.
 */
import type { Guarantees } from '../backend.ts';

/** The first argument of every script that uses `kept.sh`: empty, or the sandbox's part of a shared home. */
export function keptKey(isolation: Guarantees['isolation'], sandboxId: string): string {
  return isolation === 'none' || isolation === 'remote-host' ? sandboxId : '';
}

/** Exit code of a script that has no place to keep anything. */
export const noPlaceStatus = 70;
