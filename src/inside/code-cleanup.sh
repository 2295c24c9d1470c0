#!/bin/sh
# Removes the directory of a program that was killed before it could do so itself. $1 name of the directory.
rm -rf "${TMPDIR:-/tmp}/${1:?}"
