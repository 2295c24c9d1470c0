#!/bin/sh
# Removes empty directories; one that is not empty stays. $1 directory; names on stdin, each ended by a NUL.
cd "$1" || exit "$exit_missing"
xargs -0 -r rmdir -- 2>/dev/null || :
