#!/bin/sh
# Signals the lane $1 every five seconds, as long as it is the parent of this shell: where `read` takes no timeout, the lane
# counts how long no line has come.
while sleep 5; do
  read -r _cz_stat </proc/$$/stat || exit 0
  _cz_stat=${_cz_stat##*) ? }
  [ "${_cz_stat%% *}" = "$1" ] || exit 0
  kill -ALRM "$1"
done
