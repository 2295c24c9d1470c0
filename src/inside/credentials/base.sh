#!/bin/sh
# $1 the sandbox's part of a home that it shares with others, or nothing, $2 the directory where it has its own file system.
# Exit codes are those of `src/secrets/credentials/copied.ts`.
#
# A file system of the sandbox's own ends up in snapshots, also in those that a service makes by itself. So files lie in a
# tmpfs there, in a directory that is named after $2, which is a link to it. $2 may be that directory itself.
exit_in_the_way=71
exit_no_memory=72
exit_failed=74
umask 077
# The type of the file system at $1, in file_system: that of its last mount.
find_file_system() {
  file_system=
  while read -r _ mounted_at mounted_type _; do
    [ "$mounted_at" != "$1" ] || file_system=$mounted_type
  done </proc/mounts
}
# The directory of the files, in base; empty where no tmpfs can be written.
find_base() {
  base=
  for directory in /dev/shm /run /tmp; do
    find_file_system "$directory"
    if [ "$file_system" = tmpfs ] && [ -w "$directory" ]; then
      base=$directory/.caisson-credentials$(printf %s "$1" | tr / -)
      return
    fi
  done
}
if [ -n "$1" ]; then
  base=${XDG_STATE_HOME:-${HOME:-/root}/.local/state}/caisson/$1/credentials link=
else
  case $2 in
    */.caisson-credentials-*) base=$2 link= ;;
    *)
      link=$2
      find_base "$2"
      [ -n "$base" ] || exit "$exit_no_memory"
      ;;
  esac
fi
