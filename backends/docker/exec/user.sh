#!/bin/sh
# Looks whether user $1 and group $2 are there; $2 is empty for no group. Numbers need no entry. Exit code 0: they are there; 91: no
# such user; 92: no such group.
has() {
  case $2 in *[!0-9]*) ;; *) return 0 ;; esac
  while IFS=: read -r name _ || [ -n "$name" ]; do
    [ "$name" = "$2" ] && return 0
  done <"$1"
  return 1
}
exec 2>/dev/null
has /etc/passwd "$1" || exit 91
[ -z "$2" ] || has /etc/group "$2" || exit 92
