#!/bin/sh
# Prints the hashes of files. $1 directory; names on stdin, each ended by a NUL.
cd "$1" || exit "$exit_tar_failed"
xargs -0 -r sha256sum --
