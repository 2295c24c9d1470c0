#!/bin/sh
# Prints what a directory holds: the hashes of files, a NUL, and four lists of names, each ended by an empty one: programs,
# directories, links and devices, and files whose names a line cannot hold.
#
# $1 directory, $2 `must` when it has to be there.
if [ ! -d "$1" ]; then
  [ -n "$2" ] || exit 0
  [ ! -e "$1" ] || exit "$exit_not_directory"
  exit "$exit_missing"
fi
cd "$1" || exit "$exit_tar_failed"
newline='
'
hex='[0-9a-f]'
hex4=$hex$hex$hex$hex
# What a copy or a write that goes on has in its scratch is not part of it.
entries() { find . -name ".caisson-$hex4$hex4$hex4$hex4" -prune -o "$@"; }
entries -type f ! -path "*$newline*" ! -path '*\\*' -exec sha256sum {} + || exit "$exit_tar_failed"
printf '\0'
entries -type f -perm -100 -print0
printf '\0'
entries -type d ! -name . -print0
printf '\0'
entries ! -type d ! -type f -print0
printf '\0'
entries -type f \( -path "*$newline*" -o -path '*\\*' \) -print0
