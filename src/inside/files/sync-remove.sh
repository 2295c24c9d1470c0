#!/bin/sh
# Removes files. $1 directory; names on stdin, each ended by a NUL.
cd "$1" || exit "$exit_missing"
xargs -0 -r rm -f --
