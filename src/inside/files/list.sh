#!/bin/sh
# Prints a line for each entry of a directory: its name, two slashes, and its facts. A name begins with `./` and holds no two
# slashes in a row, so that a name with newlines is read whole.
#
# $1 directory, $2 entries at most.
[ -e "$1" ] || exit_unseen "$1" "$exit_missing"
[ -d "$1" ] || exit "$exit_not_directory"
{ [ -r "$1" ] && cd "$1"; } || exit "$exit_denied"
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
names "$2" | xargs -0 -r stat -c '%n//%f %s %Y' --
# Another program of the sandbox may remove an entry before `stat` reads it: xargs then exits with 123, and the entry is left out.
status=$?
[ "$status" -ne 123 ] || exit 0
exit "$status"
