#!/bin/sh
# Becoming a command, and reading requests. _cz_exec is defined by each kind of shell.

# Keeps bytes that are no UTF-8 as they are in `read`.
_cz_take_locale() { _cz_locale=${LC_ALL+x$LC_ALL} LC_ALL=C; }
_cz_give_locale() {
  case $_cz_locale in
    x*) LC_ALL=${_cz_locale#x} ;;
    *) unset LC_ALL ;;
  esac
}

# $1 ... variables as NAME=VALUE; then `--` and the command, or `-e PROGRAM` and a command that begins with env(1).
_cz_become() {
  unset SHLVL OLDPWD PWD
  _cz_give_locale
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
      ;;
    *)
      shift
      _cz_begin "$1"
      ;;
  esac
  _cz_exec "$@"
}

# Reads requests until the end of input, or until no line has come for $_cz_bound seconds; 0: there is no bound. Where `read`
# takes no timeout, $_cz_ticks is set, and counted down by a signal, which ends a `read` that waits.
_cz_serve() {
  _cz_part='' _cz_left=$_cz_ticks
  while :; do
    # No option at all, or two words.
    # shellcheck disable=SC2086,SC2229
    if IFS= read -r $_cz_timeout _cz_line; then
      _cz_line=$_cz_part$_cz_line _cz_part=''
      _cz_serve_line
      _cz_left=$_cz_ticks _cz_ticked=''
    elif [ -n "$_cz_ticked" ] && [ "$_cz_left" -gt 0 ]; then
      _cz_part=$_cz_part$_cz_line _cz_ticked=''
    else
      break
    fi
  done
}

# A request is one line that ends in " #."; a long one is announced as "B LENGTH .". An empty line says that the caller lives.
_cz_serve_line() {
  case $_cz_line in
    B\ *\ .)
      _cz_length=${_cz_line#B }
      _cz_line=$(head -c "${_cz_length% .}")
      ;;
  esac
  case $_cz_line in *\ \#.) eval "$_cz_line" ;; esac
}

# Sets how $_cz_serve waits with the bound of $1 seconds.
_cz_bound_by() {
  _cz_timeout='' _cz_ticks=0 _cz_ticked='' _cz_bound=$1
  [ "$_cz_bound" -gt 0 ] || return 0
  # dash has no -t, and says 2 of an unknown option; at the end of input it is 1.
  # shellcheck disable=SC3045
  (read -r -t 1 _ </dev/null) 2>/dev/null
  if [ $? = 1 ]; then _cz_timeout="-t $_cz_bound"; else _cz_ticks=$((_cz_bound / 5)); fi
}
