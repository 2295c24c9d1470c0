#!/bin/sh
# Writes one credential file and prints the directory of all.
#
# $3 path below the directory, $4 bytes on stdin. Other links on the way are refused: an earlier command may have left them. The
# file is old or new, and only the user of the sandbox may read it.
[ ! -L "$base" ] || exit "$exit_in_the_way"
mkdir -p "$base" && chmod 700 "$base" || exit "$exit_failed"
# An empty directory gives way to the link; a link to another place, or a directory with files, is not ours.
if [ -n "$link" ] && [ "$(readlink "$link")" != "$base" ]; then
  [ ! -L "$link" ] || exit "$exit_in_the_way"
  [ ! -e "$link" ] || rmdir "$link" 2>/dev/null || exit "$exit_in_the_way"
  mkdir -p "${link%/*}/" && ln -s "$base" "$link" || exit "$exit_failed"
fi
directory=$base rest=$3
while :; do
  case $rest in
    */*) directory=$directory/${rest%%/*} rest=${rest#*/} ;;
    *) break ;;
  esac
  [ ! -L "$directory" ] || exit "$exit_in_the_way"
  [ -d "$directory" ] || mkdir "$directory" || exit "$exit_in_the_way"
done
file=$directory/$rest
[ ! -L "$file" ] || exit "$exit_in_the_way"
[ -f "$file" ] || [ ! -e "$file" ] || exit "$exit_in_the_way"
scratch=$directory/.caisson-new
rm -f "$scratch"
if cat >"$scratch" && [ "$(wc -c <"$scratch")" -eq "$4" ] && chmod 400 "$scratch" && mv -f "$scratch" "$file"; then
  printf '%s' "$base"
else
  rm -f "$scratch"
  exit "$exit_failed"
fi
