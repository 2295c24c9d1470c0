#!/bin/sh
# The first process of a pod, before it becomes what its arguments name behind the working directory $1. It waits for an empty
# line, so that no byte of it is missed by the client that attaches. Each other line it answers with the uid of its pod, by which the
# client knows that it has reached no other pod of the name, and with whether the image has what commands need. A container that
# the node starts again goes on by itself: the mark is in a volume of the pod.
cz_p=$CAISSON_POD_UID
unset CAISSON_POD_UID
if [ ! -e /run/caisson-began ]; then
  cz_s=0
  mkdir -p -- "$1" || cz_s=3
  for cz_i in dd cat kill setsid; do
    command -v "$cz_i" >/dev/null || cz_s=4
  done
  while read -r cz_l && [ -n "$cz_l" ]; do
    printf '%s %s;' "$cz_p" "$cz_s"
  done
  : >/run/caisson-began
fi
shift
exec "$@"
