#!/bin/sh
# Prints the real paths that a file tool would touch, each ended by a NUL. What is not there is named below the nearest
# directory that is.
#
# $1 path, $2 `entry` when a link at the end is meant itself, $3 `tree` for all that is below, $4 bytes of that.
path=$1 rest=
up() {
  rest=/${path##*/}$rest path=${path%/*}
  [ -n "$path" ] || path=/
}
[ -z "$2" ] || [ "$path" = / ] || up
while [ ! -e "$path" ] && may_follow; do
  if [ -L "$path" ]; then follow_one || break; else up; fi
done
# Behind what is not there, only the kernel could tell where `..` leads.
case $rest/ in */../* | */./*) exit "$exit_no_parent" ;; esac
real_path=$(readlink -f "$path" && echo .) || exit "$exit_no_parent"
real_path=${real_path%??}
[ "$real_path" != / ] || real_path=
real_path=$real_path$rest
printf '%s\0' "$real_path"
[ -n "$3" ] && [ -d "$real_path" ] && [ ! -L "$real_path" ] || exit 0
find "$real_path" -print0 2>/dev/null | head -c "$4"
