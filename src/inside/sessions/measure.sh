#!/bin/sh
# Sets _cz_m to lines: the limit of the size of files, the umask, which descriptors are open and still where they led at first, the directory and a dot. What
# is open is looked for in the copy of the shell that tells it: the shell itself may still hold its end of the pipe.
# shellcheck disable=SC2015,SC3013
_cz_m=$(
  \command exec 2>/dev/null
  \command ulimit -f || \command echo
  \command umask
  for _cz_x in 3 4 5 6 10 11 12 13 14 15 16 17 18 19; do
    \command test -e "/proc/self/fd/$_cz_x" && \command printf '%s.' "$_cz_x"
  done
  \command test "/proc/$$/fd/0" -ef /dev/null && \command printf a
  \command test "/proc/$$/fd/1" -ef "/proc/$$/fd/8" && \command printf b
  \command test "/proc/$$/fd/2" -ef "/proc/$$/fd/9" && \command printf c
  \command printf '\n'
  \command pwd -L && \command printf .
) || command :
