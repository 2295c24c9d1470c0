#!/bin/sh
# Becoming a command, and reading requests. _cz_exec is defined by each kind of shell.

# $1 ... variables as NAME=VALUE; then `--` and the command, or `-e PROGRAM` and a command that begins with env(1).
_cz_become() {
  unset SHLVL OLDPWD PWD
  case $_cz_locale in
    x*) LC_ALL=${_cz_locale#x} ;;
    *) unset LC_ALL ;;
  esac
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

# A request is one line that ends in " #."; a long one is announced as "B LENGTH .".
_cz_serve() {
  while IFS= read -r _cz_line; do
    case $_cz_line in
      B\ *\ .)
        _cz_length=${_cz_line#B }
        _cz_line=$(head -c "${_cz_length% .}")
        ;;
    esac
    case $_cz_line in *\ \#.) eval "$_cz_line" ;; esac
  done
}
