#!/bin/sh
# Prints what a process wrote, each stream on its own, and follows. Looks whether the process has ended before it reads, so
# that nothing is left behind. Status 0: ended and printed whole; 75: there may be more.
#
# $1 key, $2 id, $3 $4 offsets in out and err, $5 rounds of 0.2 s, 0 for a single look.
kept_directory processes "$1"
cd -- "$_cz_base/$2" 2>/dev/null || exit "$exit_unknown"
[ -e out ] || : >>out
[ -e err ] || : >>err
exec 3<out 4<err
over && last=y || last=
tail -c "+$(($3 + 1))" <&3
tail -c "+$(($4 + 1))" <&4 >&2
rounds=0
while [ -z "$last" ]; do
  [ "$rounds" -lt "$5" ] || exit 75
  sleep 0.2
  rounds=$((rounds + 1))
  over && last=y
  cat <&3
  cat <&4 >&2
done
exit 0
