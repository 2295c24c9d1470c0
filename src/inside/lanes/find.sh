#!/bin/sh
# Functions of the shells that run commands, in lanes and on the direct path. POSIX sh, the same in busybox ash, dash and
# bash; names have a prefix that no image exports.
#
#   _cz_nonce   nonce, as TAIL.HEAD             fd 8, 9     the true stdout and stderr
#   _cz_status  status of the command           _cz_says    what the opening mark says beside its first word

# Prints a mark: the nonce, and $1. Only here do the halves of a nonce meet: arguments, variables and requests, which every
# command may read and print, hold them the wrong way round.
_cz_mark() { printf %s%s "${_cz_nonce#*.}" "${_cz_nonce%.*}$1"; }

# The opening mark where the directory cannot be entered.
_cz_no_directory() { _cz_mark '-;' >&8; }

# The file that the name $1 stands for by the PATH of now, in _cz_found.
_cz_find() {
  _cz_rest=$PATH: _cz_found=
  while [ -n "$_cz_rest" ]; do
    _cz_entry=${_cz_rest%%:*} _cz_rest=${_cz_rest#*:}
    _cz_entry=${_cz_entry:-.}/$1
    if [ -f "$_cz_entry" ]; then
      _cz_found=$_cz_entry
      [ ! -x "$_cz_entry" ] || return 0
    fi
  done
  [ -n "$_cz_found" ]
}

# Prints the opening mark, and ends the child where there is no program $1, so that no shell reports that on the stderr of the
# command.
_cz_begin() {
  case $1 in
    */*)
      _cz_found=$1
      if [ ! -e "$1" ]; then _cz_word=127; elif [ -d "$1" ] || [ ! -x "$1" ]; then _cz_word=126; else _cz_word=+; fi
      ;;
    *)
      if ! _cz_find "$1"; then _cz_word=127; elif [ -x "$_cz_found" ]; then _cz_word=+; else _cz_word=126; fi
      ;;
  esac
  _cz_mark "$_cz_word${_cz_says-};" >&8
  [ "$_cz_word" = + ] || exit "$_cz_word"
}
