#!/bin/sh
# Exit codes are `statuses` of `src/exec/detached/scripts.ts`. Names have a prefix: a shell that changes a variable of its
# environment changes it for the command too.
exit_exists=71
exit_no_tools=72
exit_too_many=73
exit_unknown=74
exit_no_input=75

# When process $1 started, in $_cz_born: field 22 of proc(5) stat, so that a reused number is recognized. Fails for one that is
# not there or has ended.
born() {
  _cz_stat=
  { IFS= read -r _cz_stat <"/proc/$1/stat"; } 2>/dev/null
  [ -n "$_cz_stat" ] || return 1
  # The name of the program, which is in parentheses, may hold anything.
  # shellcheck disable=SC2086
  set -- ${_cz_stat##*) }
  case $1 in Z | X) return 1 ;; esac
  _cz_born=${20}
}

# Waits until the supervisor of this directory keeps the input open. Fails where the directory has no supervisor, or no more.
input_open() {
  _cz_rounds=0
  while [ -p in ] && [ ! -e holder ] && [ "$_cz_rounds" -lt 100 ]; do
    sleep 0.05
    _cz_rounds=$((_cz_rounds + 1))
  done
  alive holder 2>/dev/null
}

# Whether the process of a line "PID START ..." in file $1 is alive.
alive() { read -r _cz_pid _cz_start _ <"$1" && born "$_cz_pid" && [ "$_cz_born" = "$_cz_start" ]; }
