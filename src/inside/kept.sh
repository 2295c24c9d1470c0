#!/bin/sh
# Where Caisson keeps what must live on inside a sandbox. Names have a prefix: a shell that changes a variable of its
# environment changes it for the command too.

# $1 `processes` or `sessions`, $2 the sandbox's part of a home that it shares with others, or nothing. Sets $_cz_base to the
# directory, private and there, and $_cz_umask to the umask as it was found.
kept_directory() {
  _cz_umask=$(umask)
  umask 077
  _cz_base=${XDG_STATE_HOME:-${HOME:-/root}/.local/state}/caisson${2:+/$2}/$1
  mkdir -p "$_cz_base" 2>/dev/null && [ -w "$_cz_base" ] || _cz_base=
  [ -n "$_cz_base" ] || [ -n "$2" ] || _cz_base=/tmp/.caisson/$1
  # 70: `noPlaceStatus` in kept.ts.
  [ -n "$_cz_base" ] && mkdir -p "$_cz_base" 2>/dev/null && [ -w "$_cz_base" ] || exit 70
}
