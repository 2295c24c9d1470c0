#!/bin/sh
# Sends a signal to the session that a process leads, while it is the same process. $1 pid, $2 start time, $3 signal.
IFS= read -r stat <"/proc/$1/stat" || exit 0
pid=$1 started=$2 signal=$3
# shellcheck disable=SC2086
set -- ${stat##*) }
[ "${20}" = "$started" ] || exit 0
kill -s "$signal" -- "-$pid" || kill -s "$signal" "$pid"
