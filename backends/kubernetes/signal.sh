#!/bin/sh
# Sends signal $3 to the group of process $1, when that still is the one that started at $2. One that has left its group gets it alone.
read -r stat 2>/dev/null </proc/"$1"/stat || exit 0
# After the name of the program: the group is field 5 of proc(5) stat, the start time field 22.
# shellcheck disable=SC2086
set -- "$1" "$2" "$3" ${stat##*) }
[ "${23}" = "$2" ] || exit 0
[ "$6" = "$1" ] && set -- "-$1" "$2" "$3"
kill -s "$3" -- "$1" 2>/dev/null
exit 0
