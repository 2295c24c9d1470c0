#!/bin/sh
# Unpacks a tar stream from stdin at a place.
#
# $1 target, $2 name to take inside an existing directory (empty: put the content itself there), $3 `file` or `tree`,
# $4 scratch name, $5 size of the file, $6 `slash` when the target must be a directory.
#
# Everything arrives in a scratch directory beside its place and is renamed when it is complete, so that the target is
# old or new. Into a tree that exists, files go one by one as hard links, each old or new. The scratch directory goes
# when the stream ends, however it ends.
path=$1 name=$2 kind=$3 scratch=$4 bytes=$5 slash=$6
umask 0
command -v tar >/dev/null 2>&1 || exit "$exit_no_tar"
if [ -d "$path" ]; then
  [ -z "$name" ] || path=${path%/}/$name
elif [ "$kind$slash" = fileslash ]; then
  exit "$exit_missing"
fi
follow_links
if [ "$kind" = file ]; then
  [ ! -d "$path" ] || exit "$exit_is_directory"
  [ -f "$path" ] || [ ! -e "$path" ] || exit "$exit_special"
else
  [ -d "$path" ] || [ ! -e "$path" ] || exit "$exit_not_directory"
fi
place=$path
[ -d "$place" ] || place=${path%/*}
[ -d "$place/" ] || exit "$exit_no_parent"
scratch=${place%/}/$scratch
mkdir -m 700 "$scratch" || exit "$exit_no_scratch"
trap 'cd / && rm -rf "$scratch"' EXIT
trap 'exit 143' HUP INT TERM
cd "$scratch" || exit "$exit_no_scratch"
tar -x -o -f - || exit "$exit_tar_failed"
# `end` is the last entry of what is sent, `payload` the file or the tree.
[ -f end ] || exit "$exit_incomplete"
if [ "$kind" = file ]; then
  [ "$(size_of <payload)" -eq "$bytes" ] || exit "$exit_incomplete"
elif [ -d "$path" ]; then
  cp -R -P -l -f payload/. "$path/" 2>/dev/null || cp -R -P -f payload/. "$path/" || exit "$exit_not_placed"
  exit 0
fi
mv -f payload "$path" || exit "$exit_not_placed"
