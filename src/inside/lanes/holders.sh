#!/bin/sh
# The closing marks, and the search for processes that hold the streams of a command that has ended.
#
#   _cz_before  last pid before the command     _cz_after   last pid after it
#   _cz_growing set where pids grow             _cz_holders pids, "?" before one that could not be looked into
#   _cz_family  this shell and its ancestors    _cz_foreign set while processes of others are passed over

# The number of the process that was born last.
_cz_last_before() { read -r _ _ _ _ _cz_before </proc/loadavg; }
_cz_last_after() { read -r _ _ _ _ _cz_after </proc/loadavg; }

# Whole seconds of the boot clock in _cz_uptime; empty where they cannot be read.
_cz_read_uptime() {
  read -r _cz_uptime _ </proc/uptime || _cz_uptime=
  _cz_uptime=${_cz_uptime%.*}
}

# The closing marks.
_cz_end() {
  _cz_mark ":$_cz_status:$_cz_holders;" >&8
  _cz_mark ';' >&9
}

# Whether $_cz_file can only be read: what carries the streams away from here lives beside the command where a place has no other
# way, and keeps none of them open. By the last digit of the flags (proc_pid_fdinfo(5)).
_cz_reads_only() {
  while read -r _cz_key _cz_value; do
    case $_cz_key$_cz_value in
      flags:*0) return 0 ;;
      flags:*) return 1 ;;
    esac
  done <"${_cz_file%/fd/*}/fdinfo/${_cz_file##*/}" || return 1
  return 1
}

# Looks whether process $1 holds one of the streams.
_cz_holds() {
  for _cz_file in /proc/"$1"/fd/*; do
    # All three shells have -ef.
    # shellcheck disable=SC3013
    if { [ "$_cz_file" -ef /proc/self/fd/8 ] || [ "$_cz_file" -ef /proc/self/fd/9 ]; } && ! _cz_reads_only; then
      _cz_tell '' "$1"
      return
    fi
  done
  case $_cz_file in *'*') return ;; esac
  [ -n "$_cz_foreign" ] || [ -e "$_cz_file" ] || [ ! -e "/proc/$1/fd" ] || _cz_tell '?' "$1"
}

# Notes process $2, with $1 in front, unless it is a thread of an older one.
_cz_tell() {
  while read -r _cz_key _cz_value; do
    case $_cz_key in Tgid:) break ;; esac
  done </proc/"$2"/status || return 0
  [ "$_cz_value" = "$2" ] || { [ "$_cz_value" -gt "$_cz_before" ] && [ "$_cz_value" -le "$_cz_after" ]; } || return 0
  _cz_holders="$_cz_holders $1$2"
}

# Looks for holders among processes born since the command began.
_cz_idle() {
  _cz_holders=
  _cz_last_after
  if [ -z "$_cz_growing" ] || [ "$_cz_after" -lt "$_cz_before" ]; then
    _cz_all
  elif [ $((_cz_after - _cz_before)) -lt 100 ]; then
    _cz_pid=$_cz_before
    while [ "$_cz_pid" -lt "$_cz_after" ]; do
      _cz_pid=$((_cz_pid + 1))
      [ ! -e /proc/$_cz_pid ] || _cz_look $_cz_pid
    done
  else
    for _cz_pid in /proc/[0-9]*; do
      _cz_pid=${_cz_pid#/proc/}
      [ "$_cz_pid" -le "$_cz_before" ] || [ "$_cz_pid" -gt "$_cz_after" ] || _cz_look "$_cz_pid"
    done
  fi
}

# Looks for holders among all processes.
_cz_all() {
  _cz_find_family
  _cz_foreign=1
  for _cz_pid in /proc/[0-9]*; do _cz_look "${_cz_pid#/proc/}"; done
  _cz_foreign=
}

_cz_look() {
  case $_cz_family in *" $1 "*) ;; *) _cz_holds "$1" ;; esac
}

_cz_find_family() {
  _cz_family=" $$ " _cz_parent=$PPID
  while [ "${_cz_parent:-0}" -gt 0 ] && read -r _cz_stat </proc/"$_cz_parent"/stat; do
    _cz_family="$_cz_family$_cz_parent "
    _cz_stat=${_cz_stat##*) ? }
    _cz_parent=${_cz_stat%% *}
  done
}
