#!/bin/bash
# Lists what runs have left below $1: kind, mode, name and target of all, and then sums of the files. What git keeps for itself has
# times in it.
set -eu
cd "$1"
find . -mindepth 2 -not -path '*/.git/*' -printf '%y\t%m\t%P\t%l\0'
printf 'sums\0'
find . -mindepth 2 -not -path '*/.git/*' -type f -exec sha256sum -z {} + || true
# An engine may drop the last bytes on a busy machine.
printf 'whole\0'
