#!/bin/sh
# Prints the size of a file on a line of its own, then a part of it.
#
# $1 path, $2 first byte (from 1 on), $3 bytes, nothing for all that follow, or `digest` for the SHA-256 of all, $4 withheld directory. The file is opened once
# and read by its descriptor, whose path the kernel has: a path may lead elsewhere a moment later.
path=$1 withheld=$4
[ -e "$path" ] || exit_unseen "$path" "$exit_missing"
[ ! -d "$path" ] || exit "$exit_directory"
[ -f "$path" ] || exit "$exit_special"
[ -r "$path" ] || exit "$exit_denied"
command exec 3<"$path" || exit "$exit_missing"
opened=/proc/self/fd/3
if real_path=$(readlink "$opened" 3<&3 && echo .); then
  real_path=${real_path%??}
else
  [ -z "$real" ] || exit "$exit_elsewhere"
  opened=$path
  real_path=$(readlink -f "$path")
fi
[ -z "$real" ] || [ "$real_path" = "$path" ] || exit "$exit_elsewhere"
[ -f "$opened" ] || exit "$exit_special"
refuse_withheld
size=$(size_of <"$opened") || exit "$exit_tar_failed"
# Unquoted: some programs print blanks before the number.
# shellcheck disable=SC2086
echo $size
# BusyBox's tail reads what it leaves out, so that whole blocks are sought past.
from=$2 blocks=$((($2 - 1) / 65536))
{
  if [ "$blocks" -gt 0 ] && dd bs=65536 skip="$blocks" count=0 2>/dev/null; then from=$(($2 - blocks * 65536)); fi
  if [ "$3" = digest ]; then
    sha256sum
  elif [ -n "$3" ]; then
    tail -c "+$from" | head -c "$3"
  elif [ "$from" = 1 ]; then
    cat
  else
    tail -c "+$from"
  fi
} <"$opened"
