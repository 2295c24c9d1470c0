#!/bin/sh
# Removes credential files: $3 and the rest, paths below the directory. Without paths, all that is kept in a shared home for
# this sandbox goes.
if [ -n "$1" ] && [ $# -eq 2 ]; then
  rm -rf "$base"
  exit
fi
shift 2
for path; do rm -f "$base/$path" || exit "$exit_failed"; done
