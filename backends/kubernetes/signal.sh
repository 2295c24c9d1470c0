#!/bin/sh
# Sends signal $3 to process $1 when it still is the one that started at $2, and to the others of its group that came from it. The
# shells of boot.sh are older, and so is what carries its input: they tell how the command ends.
read -r stat 2>/dev/null </proc/"$1"/stat || exit 0
# After the name of the program: the group is field 5 of proc(5) stat, the start time field 22.
# shellcheck disable=SC2086
set -- "$1" "$2" "$3" ${stat##*) }
[ "${23}" = "$2" ] || exit 0
first=$1 signal=$3 group=$6
[ "$group" != "$first" ] || { kill -s "$signal" -- "-$group" 2>/dev/null; exit 0; }
pids=$first
for each in /proc/[0-9]*; do
  pid=${each#/proc/}
  [ "$pid" -gt "$first" ] || continue
  read -r stat 2>/dev/null <"$each/stat" || continue
  # Its parent and its group.
  # shellcheck disable=SC2086
  set -- ${stat##*) }
  [ "$3" = "$group" ] || continue
  if [ "$2" -ge "$first" ] || [ "$2" = 1 ]; then pids="$pids $pid"; fi
done
# shellcheck disable=SC2086
kill -s "$signal" $pids 2>/dev/null
exit 0
