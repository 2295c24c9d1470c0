#!/bin/sh
# Removes a file or a directory. $1 path, $2 `recursive`. Links are removed, not followed.
path=$1
[ -e "$path" ] || [ -L "$path" ] || exit_unseen "$path" "$exit_missing"
enter_parent
if [ ! -d "$name" ] || [ -L "$name" ]; then
  rm -f "$name" || exit_unwritten . "$exit_not_placed"
elif [ -n "$2" ]; then
  rm -rf "$name" || exit_unwritten . "$exit_not_placed"
else
  rmdir "$name" 2>/dev/null || exit_unwritten . "$exit_not_empty"
fi
