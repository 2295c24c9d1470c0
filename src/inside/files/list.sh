#!/bin/sh
# Prints the names of a directory, each ended by a NUL; one more NUL; a line of facts for each name.
#
# $1 directory, $2 entries at most.
[ -e "$1" ] || exit "$exit_missing"
[ -d "$1" ] || exit "$exit_not_directory"
cd "$1" || exit "$exit_tar_failed"
is_here "$1" || exit "$exit_elsewhere"
names() {
  count=0
  for name in ./* ./.[!.]* ./..?*; do
    [ -e "$name" ] || [ -L "$name" ] || continue
    [ "$count" -lt "$1" ] || return
    count=$((count + 1))
    printf '%s\0' "$name"
  done
}
names "$2"
printf '\0'
names "$2" | xargs -0 -r stat -c '%f %s %Y' --
