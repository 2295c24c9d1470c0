#!/bin/sh
# A lane: a shell that reads one request at a time and runs each in a child of its own. `src/exec/lane/script.ts` says why.
#
# $1 start nonce as TAIL.HEAD, answered once on both streams with the shell's pid, and "+" where it can stand ready, $2 seconds
# without a line after which it ends.
#
#   exit 77    end of input, or no line for too long; exit 78: no setsid here, so no lane, which is answered too: a guardian keeps the streams open
#   exit 79    a child that stood ready was killed: it is not known how much of a line it had read
_cz_take_locale
_cz_newline='
'
_cz_nonce=$1
_cz_bound_by "$2"
_cz_find setsid
_cz_setsid=$_cz_found
_cz_find env
_cz_env=$_cz_found
_cz_find sh
_cz_sh=$_cz_found
if [ ! -x "$_cz_setsid" ]; then
  _cz_mark ':-;'
  _cz_mark ';' >&2
  exit 78
fi
exec 8>&1 9>&2 >/dev/null 2>&1

# $1 nonce, $2 directory; the rest is for _cz_become.
_cz_run() {
  _cz_nonce=$1 _cz_since=''
  if ! cd -- "$2"; then
    _cz_holders='' _cz_status=126
    _cz_no_directory
  else
    shift 2
    _cz_last_before
    (_cz_become "$@") </dev/null
    _cz_status=$?
    _cz_idle
  fi
  cd /
  _cz_end
}
_cz_exec() { exec "$_cz_setsid" -- "$@" >&8 2>&9 8>&- 9>&-; }

# The child that stands ready: it gets its text by a pipe that this shell fills, without a process that would write it.
_cz_wait() {
  exec "$_cz_setsid" "$_cz_sh" -c '. /proc/self/fd/7' caisson-ready "$@" 7<<'_cz_ready_end'
_cz_insert_ready
_cz_ready_end
}

# Says which process stands ready, and has it stand ready for the request with tag $1; $2 is the nonce of both, and of the end.
_cz_ready() {
  _cz_nonce=$2
  # Looking from the end of the last command on takes no reading: a shell reads such a file a byte at a time.
  if [ -n "$_cz_since" ]; then
    _cz_before=$_cz_after
  else
    _cz_last_before
    _cz_read_uptime
    _cz_since=$_cz_uptime
  fi
  (
    cd -P /proc/self && _cz_mark "=${PWD##*/};" >&8
    cd /
    _cz_give_locale
    _cz_wait "$1" "$_cz_bound" "$_cz_named"
  )
  _cz_status=$?
  [ -n "$_cz_can_wait" ] || exit 77
  _cz_read_uptime
  if [ -n "$_cz_since" ] && [ -n "$_cz_uptime" ] && [ $((_cz_uptime - _cz_since)) -lt "$_cz_round" ]; then
    _cz_idle
    _cz_since=$_cz_uptime
  else
    _cz_holders='' _cz_since=''
    _cz_all
  fi
  _cz_end
  [ "$_cz_status" -le 128 ] || exit 79
}

# A request for a child that is not there.
_cz_now() { :; }

# Looks once more who holds the streams: `pPID`, or `-a` for everybody.
_cz_again() {
  _cz_holders='' _cz_status=0
  for _cz_each in "$@"; do
    case $_cz_each in
      -a) _cz_all ;;
      *) [ ! -e "/proc/${_cz_each#?}" ] || _cz_holds "${_cz_each#?}" ;;
    esac
  done
  _cz_end
}

_cz_named='' _cz_can_wait='' _cz_since=''
_cz_find_family
# Seconds in which pids may have come round, at 16,384 a second.
_cz_round=$(cat /proc/sys/kernel/pid_max) && _cz_round=$((_cz_round / 16384)) || _cz_round=2
# Not every shell becomes the command as setsid does. bash sets SHLVL. A busybox that prefers its own programs to those on PATH
# runs some of them without starting them, so that they would not carry the id of the exec.
_cz_runs_own_programs() (
  # shellcheck disable=SC2123
  PATH=/dev/null
  exec true
)
# shellcheck disable=SC3038
_cz_has_exec_name() (exec -a true /proc/self/exe)
if [ -n "${BASH_VERSION-}" ]; then
  :
elif ! _cz_runs_own_programs; then
  _cz_can_wait=+
elif _cz_has_exec_name; then
  _cz_can_wait=+ _cz_named=-a
fi
[ "$PPID" -le 1 ] || _cz_can_wait=
# The signal would meet the child, which may be the command by then.
[ "$_cz_ticks" = 0 ] || _cz_can_wait=
[ -z "$_cz_can_wait" ] || trap '_cz_can_wait=' USR1
_cz_growing='' _cz_foreign=''
_cz_last_before && (:) && _cz_last_after && [ "$_cz_after" -gt "$_cz_before" ] && _cz_growing=1
_cz_mark ":$$$_cz_can_wait;" >&8
_cz_mark ';' >&9
if [ "$_cz_ticks" -gt 0 ]; then
  trap '_cz_ticked=1 _cz_left=$((_cz_left - 1))' ALRM
  # Closed by exec: around a function, a shell keeps copies of what it closes.
  (
    exec </dev/null 8>&- 9>&-
    _cz_tick $$
  ) &
fi
_cz_serve
exit 77
