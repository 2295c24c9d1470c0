#!/bin/sh
# Sends signal $3 to process $1 when it still is the one that started at $2: to its group when it leads one.
read -r stat 2>/dev/null <"/proc/$1/stat" || exit 0
# After the name of the program: the group is field 5 of proc(5) stat, the start time field 22.
# shellcheck disable=SC2086
set -- "$1" "$2" "$3" ${stat##*) }
[ "${23}" = "$2" ] || exit 0
if [ "$6" = "$1" ]; then kill -s "$3" -- "-$1"; else kill -s "$3" "$1"; fi 2>/dev/null
exit 0
