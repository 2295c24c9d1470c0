#!/bin/sh
# Prints the number of user $1 and, behind a colon, that of group $2, which is empty for none. Numbers need no entry. Exit code 91: no
# such user; 92: no such group.
number() {
  case $2 in
    *[!0-9]*) ;;
    *)
      found=$2
      return 0
      ;;
  esac
  [ -f "$1" ] || return 1
  while IFS=: read -r name _ id _ || [ -n "$name" ]; do
    [ "$name" = "$2" ] || continue
    found=$id
    return 0
  done <"$1"
  return 1
}
exec 2>/dev/null
number /etc/passwd "$1" || exit 91
said=$found
if [ -n "$2" ]; then
  number /etc/group "$2" || exit 92
  said=$said:$found
fi
echo "$said"
