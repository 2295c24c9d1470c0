#!/bin/sh
# Passes its stdin on to a process whose input is open, until either ends. $1 key, $2 id.
kept_directory processes "$1"
cd -- "$_cz_base/$2" 2>/dev/null || exit "$exit_unknown"
input_open || exit "$exit_no_input"
# Opened for reading too, so that opening waits for no reader. A command in the background would read /dev/null. Not cat: that
# of busybox copies by sendfile(2), which keeps the bytes of a socket until a whole pipe is full.
exec 3<&0
dd bs=65536 <&3 1<>in 3<&- 2>/dev/null &
writer=$!
while kill -0 "$writer" 2>/dev/null; do
  if ! alive holder 2>/dev/null; then
    kill "$writer" 2>/dev/null
    exit "$exit_no_input"
  fi
  sleep 0.1
done
wait "$writer"
