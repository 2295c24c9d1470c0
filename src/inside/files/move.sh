#!/bin/sh
# Renames a file or a directory.
#
# $1 from, $2 to, $3 `replace` when a file may be there. The directory of $2 is held by a descriptor.
to=$2 to_directory=${2%/*} to_name=${2##*/}
[ -e "$1" ] || [ -L "$1" ] || exit_unseen "$1" "$exit_missing"
[ -d "$to_directory/" ] || exit "$exit_no_parent"
only=
if [ -n "$real" ]; then
  exec 4<"$to_directory/"
  held=$(readlink /proc/self/fd/4 4<&4 && echo .) || exit "$exit_elsewhere"
  [ "${held%??}" = "${to_directory:-/}" ] || exit "$exit_elsewhere"
  to=/proc/$$/fd/4/$to_name
  case $(mv --help 2>&1) in *-T*) only=T ;; esac
fi
path=$1
enter_parent
if [ -e "$to" ] || [ -L "$to" ]; then
  [ -n "$3" ] || exit "$exit_exists"
  [ ! -d "$to" ] || exit "$exit_is_directory"
fi
mv "-f$only" "$name" "$to" || {
  [ -w . ] || exit "$exit_denied"
  exit_unwritten "${to%/*}/" "$exit_not_placed"
}
