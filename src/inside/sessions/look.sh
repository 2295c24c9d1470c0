#!/bin/sh
# Answers the request in _cz_L on descriptor 8: the directory, and what names are defined as. In a copy of the shell.
_cz_insert_unposix
command export LC_ALL=C
_cz_s=''
command eval "\command set -- ${_cz_L#S }"
_cz_L=$2
command shift 2
_cz_q=$(\command pwd -P && \command printf .)
_cz_k=${_cz_q%?.}
_cz_insert_put
for _cz_x in "$@"; do
  _cz_insert_definitions
  ! command alias "$_cz_x" || {
    _cz_k=a
    _cz_insert_put
    _cz_k=$_cz_x
    _cz_insert_put
    _cz_k=$(\command alias "$_cz_x")
    _cz_insert_put
  }
done >/dev/null
command printf '%s%s%s:%s,' "${_cz_L#*.}" "${_cz_L%.*}" "${#_cz_s}" "$_cz_s" >&8
