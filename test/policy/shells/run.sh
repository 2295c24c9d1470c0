#!/bin/sh
# Runs each text of a directory in a subshell of this shell, in an empty directory; `mark` adds its words to the log on descriptor 9.
# PATH holds the programs of the test alone. $1: the texts, $2: a directory to run in.
mark() { printf '%s %s\n' "$T" "$*" >&9; }
for file in "$1"/*; do
  T=${file##*/}
  export T
  text=''
  while IFS= read -r line || [ -n "$line" ]; do text="$text$line
"; done <"$file"
  (
    cd "$2" || exit
    # shellcheck disable=SC3045 # Both shells that run this have it.
    ulimit -t 2
    eval "$text"
  ) </dev/null >/dev/null 2>&1
done
