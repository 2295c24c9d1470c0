#!/bin/sh
# Ends the input of a process: it reads end of file after what was written. $1 key, $2 id.
kept_directory processes "$1"
cd -- "$_cz_base/$2" 2>/dev/null || exit "$exit_unknown"
if input_open; then kill "$_cz_pid"; fi
exit 0
