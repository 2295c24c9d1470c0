#!/bin/sh
# Prints the state as commands that make it. Of a single alias, every shell prints the value in quotes. Functions cannot be listed.
# shellcheck disable=SC2015,SC2016
(
  command alias "_cz_p=$_cz_q"
  command alias _cz_p
  command echo 'cd -- "$_cz_p" || _cz_w=${_cz_w}c; unset OLDPWD'
  case $_cz_w in
    *p*) ;;
    *)
      for _cz_x in "$@"; do
        command alias "_cz_p=$_cz_x"
        command alias _cz_p
        command echo 'set -- "$@" "$_cz_p"'
      done
      ;;
  esac
  # One that is no number would end the shell that takes it up.
  case ${OPTIND-} in '' | *[!0-9]* | ????*) ;; *) command echo "OPTIND=$OPTIND" ;; esac
  # The shell's own, and those of this loop.
  for _cz_x in PPID OPTIND PWD SHLVL LINENO FUNCNAME _ RANDOM \
    _cz_F _cz_X _cz_G _cz_T _cz_L _cz_k _cz_o _cz_e _cz_u _cz_r _cz_n _cz_q _cz_m _cz_w _cz_i _cz_v _cz_p _cz_l _cz_y; do
    command unset "$_cz_x"
  done
  unset _cz_x
  export -p
  set
)
command alias >|"$_cz_F.alias.new" &&
  { command mv -f "$_cz_F.alias.new" "$_cz_F.alias" || (PATH=/usr/bin:/bin; command mv -f "$_cz_F.alias.new" "$_cz_F.alias"); } 2>/dev/null
set +o
