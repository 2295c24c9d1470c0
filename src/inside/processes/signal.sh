#!/bin/sh
# Sends a signal to the command's session, when it is still the same process. $1 key, $2 id, $3 a signal without SIG.
kept_directory processes "$1"
cd -- "$_cz_base/$2" 2>/dev/null || exit "$exit_unknown"
alive child || exit 0
kill -s "$3" -- "-$_cz_pid" 2>/dev/null || kill -s "$3" "$_cz_pid"
