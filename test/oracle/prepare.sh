#!/bin/bash
# Makes directories of runs below $1/$2: $3 ... are their names, which begin with the fixture that each is a copy of.
set -eu
mkdir -p "$1/$2"
cd "$1/$2"
shift 2
for name; do cp -a "../${name%%-*}" "$name"; done
