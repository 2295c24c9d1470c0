/**
 * Where Caisson keeps what must live on inside a sandbox: sessions and detached processes.
 *
 *   a sandbox with a file system of its own   ${XDG_STATE_HOME:-$HOME/.local/state}/caisson, which a persistent sandbox
 *                                             keeps; /tmp/.caisson where that cannot be written
 *   one that shares a home with others        the directory SANDBOX in it
 *     (local, ssh)
 *
 * Everything read back from there is the sandbox's word: bounded and checked, never trusted.
 */
import type { Guarantees } from '../backend.ts';

/** The first argument of every script that begins with `baseScript`: empty, or the sandbox's part of a shared home. */
export function keptKey(isolation: Guarantees['isolation'], sandboxId: string): string {
  return isolation === 'none' || isolation === 'remote-host' ? sandboxId : '';
}

export const noPlaceStatus = 70;

/** Sets `_cz_base` to the directory for `kind`, private and there. `_cz_old` is the umask as it was found. */
export function baseScript(kind: 'processes' | 'sessions'): string {
  return `
_cz_old=$(umask); umask 077
_cz_base=\${XDG_STATE_HOME:-\${HOME:-/root}/.local/state}/caisson\${1:+/$1}/${kind}
mkdir -p "$_cz_base" 2>/dev/null && [ -w "$_cz_base" ] || _cz_base=
[ -n "$_cz_base" ] || [ -n "$1" ] || _cz_base=/tmp/.caisson/${kind}
[ -n "$_cz_base" ] && mkdir -p "$_cz_base" 2>/dev/null && [ -w "$_cz_base" ] || exit ${noPlaceStatus}
`;
}

/** Removes all that is kept for $1, the sandbox's part of a shared home. */
export const removeKeptScript = '[ -z "$1" ] || rm -rf "${XDG_STATE_HOME:-$HOME/.local/state}/caisson/$1"';
