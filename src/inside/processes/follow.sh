#!/bin/sh
# Prints what a process wrote, each stream on its own, and follows. Looks whether the process has ended before it reads, so
# that nothing is left behind. Status 0: ended and printed whole; 75: there may be more.
#
# $1 key, $2 id, $3 $4 offsets in out and err, $5 rounds of 0.2 s, 0 for a single look, $6 how far each file is read: its
# supervisor writes no more, and other processes of the sandbox may have made it longer. Ends when the record is removed.
kept_directory processes "$1"
cd -- "$_cz_base/$2" 2>/dev/null || exit "$exit_unknown"
[ -e out ] || : >>out
[ -e err ] || : >>err
# A FIFO would never open.
[ -f out ] && [ -f err ] || exit "$exit_unknown"
exec 3<out 4<err
# Sets $left to what may still be read from descriptor $1, whose limit is $2.
left_in() {
  pos=
  { read -r _ pos _ <"/proc/self/fdinfo/$1"; } 2>/dev/null
  left=$(($2 - ${pos:-0}))
}
over && last=y || last=
[ "$3" -ge "$6" ] || tail -c "+$(($3 + 1))" <&3 | head -c "$(($6 - $3))"
[ "$4" -ge "$6" ] || tail -c "+$(($4 + 1))" <&4 | head -c "$(($6 - $4))" >&2
rounds=0
while [ -z "$last" ]; do
  [ "$rounds" -lt "$5" ] || exit 75
  sleep 0.2
  rounds=$((rounds + 1))
  [ -e command ] || exit "$exit_unknown"
  over && last=y
  left_in 3 "$6"
  [ "$3" -ge "$6" ] || [ "$left" -le 0 ] || head -c "$left" <&3
  left_in 4 "$6"
  [ "$4" -ge "$6" ] || [ "$left" -le 0 ] || head -c "$left" <&4 >&2
done
exit 0
