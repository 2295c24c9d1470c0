#!/bin/sh
# Gives the terminal of process $1 the size of $2 rows and $3 columns.
for stream in 0 1 2; do
  [ -t 0 ] <"/proc/$1/fd/$stream" 2>/dev/null || continue
  stty -F "/proc/$1/fd/$stream" rows "$2" cols "$3" && exit 0
done 2>/dev/null
exit 0
