#!/bin/sh
# $1 the sandbox's part of a home that it shares with others, or nothing, $2 the directory where it has its own file system.
# Exit codes are those of `src/secrets/credentials/copied.ts`.
exit_in_the_way=71
exit_failed=74
umask 077
if [ -n "$1" ]; then
  base=${XDG_STATE_HOME:-${HOME:-/root}/.local/state}/caisson/$1/credentials
else
  base=$2
fi
