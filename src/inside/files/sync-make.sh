#!/bin/sh
# Makes the directories above $1. Prints `there` when it is there itself.
if [ -d "$1" ]; then echo there; else mkdir -p "${1%/*}/" || exit "$exit_no_parent"; fi
