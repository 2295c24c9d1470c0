#!/bin/sh
# Prints the number of user $1 and, behind a colon, that of group $2; for an empty one, of the user's own group, as engines find it.
# Numbers need no entry. Exit code 91: no such user; 92: no such group.

# Sets id and group from the line of file $1 with name or number $2.
entry() {
  [ ! -f "$1" ] || while IFS=: read -r name _ id group _ || [ -n "$name" ]; do
    case $2 in
      *[!0-9]*) [ "$name" = "$2" ] || continue ;;
      *) [ "$id" -eq "$2" ] || continue ;;
    esac
    return 0
  done <"$1"
  id=$2 group=0
  case $2 in *[!0-9]*) return 1 ;; esac
}
exec 2>/dev/null
entry /etc/passwd "$1" || exit 91
user=$id
if [ -n "$2" ]; then
  entry /etc/group "$2" || exit 92
  group=$id
fi
echo "$user:$group"
