#!/bin/sh
# Waits for the end of a process. Status 0 when it has ended, 75 when not yet. $1 key, $2 id, $3 rounds of 0.1 s.
kept_directory processes "$1"
cd -- "$_cz_base/$2" 2>/dev/null || exit "$exit_unknown"
rounds=0
while [ ! -e exit ]; do
  if [ -e child ] && ! alive pid && ! alive child; then
    sleep 0.1
    break
  fi 2>/dev/null
  [ "$rounds" -lt "$3" ] || exit 75
  sleep 0.1
  rounds=$((rounds + 1))
done
exit 0
