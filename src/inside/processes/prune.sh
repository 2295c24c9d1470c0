#!/bin/sh
# Whether the process of directory $1 has ended.
ended() {
  [ -e "$1/exit" ] || [ ! -e "$1/pid" ] || { [ -e "$1/child" ] && ! alive "$1/pid" && ! alive "$1/child"; } 2>/dev/null
}

drop() {
  [ -n "$_cz_dry" ] || rm -rf "./${1:?}"
  printf '%s\n' "$1"
}

# Removes processes that ended more than $1 minutes ago, and the oldest ended ones beyond 64. Prints what went.
prune() {
  for _cz_each in exec_*; do
    ended "$_cz_each" && [ -n "$(find "./$_cz_each" -maxdepth 0 -mmin "+$1")" ] && drop "$_cz_each"
  done
  _cz_count=0
  # Ids have no blanks.
  # shellcheck disable=SC2045
  for _cz_each in $(ls -t); do
    case $_cz_each in exec_*) ;; *) continue ;; esac
    ended "$_cz_each" || continue
    _cz_count=$((_cz_count + 1))
    [ "$_cz_count" -le 64 ] || drop "$_cz_each"
  done
}
