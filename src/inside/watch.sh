#!/bin/sh
# Watches one command on the direct path: starts it in a child, and prints a mark behind the last byte of it.
# `src/exec/direct/script.ts` says why.
#
# $1 nonce as TAIL.HEAD, $2 `y` where stdin ends when the caller has the marks, $3 working directory, $4 ... variables as NAME=VALUE;
# then `--` and the command, or `-e PROGRAM NAME=VALUE ... PROGRAM ...` where env(1) has to set variables that shells keep for
# themselves.
_cz_nonce=$1 _cz_waits=$2 _cz_directory=$3 _cz_holders='' _cz_foreign='' _cz_id=${CAISSON_EXEC#watch-}
shift 3
exec 8>&1 9>&2 >/dev/null 2>&1
trap : HUP INT QUIT TERM PIPE
# When the process of $_cz_stat started (proc_pid_stat(5)), in _cz_born.
_cz_read_born() {
  # shellcheck disable=SC2086
  set -- ${_cz_stat##*) }
  _cz_born=${20}
}
# Until stdin ends, at most half a minute: the caller has the marks then, or is gone.
_cz_await() {
  # dash has no -t, and says 2 of an unknown option.
  # shellcheck disable=SC3045
  read -r -t 30 _cz_word
  [ $? = 2 ] || return 0
  trap 'exit "$_cz_status"' ALRM
  (
    sleep 30 &
    trap 'kill $!; exit' TERM
    wait && kill -ALRM $$
  ) </dev/null 8>&- 9>&- &
  read -r _cz_word
  kill $!
}
_cz_find setsid && _cz_setsid=$_cz_found || _cz_setsid=
_cz_find env
_cz_env=$_cz_found
if ! cd -- "$_cz_directory"; then
  _cz_no_directory
  _cz_status=126
  _cz_end
  exit 126
fi
_cz_read_uptime
_cz_since=$_cz_uptime
_cz_last_before
(
  unset SHLVL OLDPWD PWD
  CAISSON_EXEC=$_cz_id
  IFS= read -r _cz_stat </proc/self/stat
  _cz_read_born
  _cz_says=" ${_cz_stat%% *}.$_cz_born"
  while case $1 in -- | -e) false ;; esac; do
    # A variable with its value.
    # shellcheck disable=SC2163
    export "$1"
    shift
  done
  case $1 in
    -e)
      _cz_begin "$2"
      shift 2
      set -- "$_cz_env" -- "$@"
      ;;
    *)
      shift
      _cz_begin "$1"
      ;;
  esac
  [ -z "$_cz_setsid" ] || set -- "$_cz_setsid" -- "$@"
  [ -z "$_cz_waits" ] || exec </dev/null
  exec "$@" >&8 2>&9 8>&- 9>&-
)
_cz_status=$?
cd /
_cz_last_after && [ "$_cz_after" -gt "$_cz_before" ] && _cz_growing=1 || _cz_growing=
_cz_read_uptime
[ -n "$_cz_since" ] && [ -n "$_cz_uptime" ] && [ $((_cz_uptime - _cz_since)) -lt 2 ] || _cz_growing=
_cz_idle
_cz_end
[ -z "$_cz_waits" ] || _cz_await
exit "$_cz_status"
