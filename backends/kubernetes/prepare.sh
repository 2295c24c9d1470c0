#!/bin/sh
# Makes the directory $1, and says whether the pod has what commands need.
mkdir -p -- "$1" || exit 3
for cz_p in dd cat kill setsid; do
  command -v "$cz_p" >/dev/null || exit 4
done
