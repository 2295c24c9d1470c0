#!/bin/sh
# Becomes the shell of a session: bash where it is there, else sh. Its messages begin as those of any such shell. $0 its name in lists of
# processes, $1 what it runs.
command -v bash >/dev/null && exec bash -c "$1" bash "$0"
exec sh -c "$1" sh "$0"
