#!/bin/sh
# Prints the facts of a path, and the target of a link. $1 path.
path=$1
[ -e "$path" ] || [ -L "$path" ] || exit_unseen "$path" "$exit_missing"
enter_parent
stat -c '%f %s %Y' -- "$name" || {
  [ -e "$name" ] || [ -L "$name" ] || exit "$exit_missing"
  exit "$exit_tar_failed"
}
[ ! -L "$name" ] || readlink "$name"
