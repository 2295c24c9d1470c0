#!/bin/sh
# Becomes a command of the sandbox, and says so first: `NONCE WORD PID BORN;` on stdout and, without a terminal, `NONCE;` on
# stderr. Arguments: the nonce; the directory; whether the command has a stdin; how many bytes of stdin hold the words that
# follow as shell words, or -; rows and columns of its terminal, or -; how many of the words are variables for env(1). The
# environment is the command's own already.
_cz_n=$1 _cz_d=$2 _cz_i=$3 _cz_w=$4 _cz_t=$5 _cz_k=$6 _cz_p=${PATH-}
shift 6
PATH=$PATH:/usr/local/bin:/usr/bin:/bin
_cz_say() {
  printf '%s %s %s %s;' "$_cz_n" "$1" $$ "$2"
  [ "$_cz_t" != - ] || printf '%s;' "$_cz_n" >&2
}
_cz_stop() {
  _cz_say "$1" -
  exit 126
}
_cz_at() {
  _cz_b=${20}
}
[ "$_cz_w" = - ] || eval "set -- $(head -c "$_cz_w")"
[ "$_cz_t" = - ] || stty rows "${_cz_t%x*}" cols "${_cz_t#*x}" || true
cd -- "$_cz_d" 2>/dev/null || _cz_stop cwd
read -r _cz_x 2>/dev/null <"/proc/$$/stat" || _cz_stop proc
# shellcheck disable=SC2086
_cz_at ${_cz_x##*) }
eval "_cz_c=\${$((_cz_k + 1))}"
_cz_z=
case $_cz_c in
*/*)
  if [ ! -e "$_cz_c" ]; then
    _cz_z=127
  elif [ -d "$_cz_c" ] || [ ! -x "$_cz_c" ]; then
    _cz_z=126
  fi
  ;;
*)
  _cz_z=127 _cz_y=$_cz_p:
  while [ "$_cz_y" ]; do
    _cz_q=${_cz_y%%:*} _cz_y=${_cz_y#*:}
    _cz_f=${_cz_q:-.}/$_cz_c
    [ -f "$_cz_f" ] || continue
    _cz_z=126
    [ ! -x "$_cz_f" ] || {
      _cz_z=
      break
    }
  done
  ;;
esac
[ -z "$_cz_z" ] || _cz_stop "$_cz_z"
_cz_e=$(command -v env)
PATH=$_cz_p
unset OLDPWD SHLVL
_cz_say ok "$_cz_b"
[ "$_cz_i" = 1 ] || exec </dev/null
case $_cz_k$_cz_c in
0-*) exec "$_cz_e" -- "$@" ;;
0*) exec "$@" ;;
*) exec "$_cz_e" -- "$@" ;;
esac
