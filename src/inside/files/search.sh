#!/bin/sh
# Searches files for a pattern. Prints the directory that was entered and a NUL; then lines with names below it, each cut
# behind a path and 2,000 characters.
#
# $1 path, $2 pattern, $3 `F` for fixed text or `E`, $4 glob of names, $5 lines at most, $6 withheld directory.
[ -e "$1" ] || exit_unseen "$1" "$exit_missing"
path=$1 withheld=$6 left_out=/dev/null/none
real_path=$(readlink -f "$path" && echo .) real_path=${real_path%??}
refuse_withheld
if [ -d "$path" ]; then
  cd "$path" || exit "$exit_denied"
  is_here "$path" || exit "$exit_elsewhere"
  directory=$path name=.
  case $withheld_real/ in
    "${real_path%/}"/?*)
      left_out=.$(printf '%s' "${withheld_real#"${real_path%/}"}" | sed 's/[][*?\]/\\&/g')
      ;;
  esac
else
  enter_parent
fi
complaint=$(echo | grep "-$3" -e "$2" 2>&1 >/dev/null)
[ -z "$complaint" ] || exit "$exit_pattern"
printf '%s\0' "$directory"
follow=-H
[ -z "$real" ] || follow=-P
find $follow "$name" -path "$left_out" -prune -o -type f -name "$4" -print0 2>/dev/null |
  xargs -0 -r grep "-$3" -n -H -e "$2" -- 2>/dev/null | head -n "$5" | cut -b 1-6400
