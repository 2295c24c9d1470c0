#!/bin/sh
# Lists a directory again and again: once for each line of stdin, until that ends. So the reader sets the pace, and when it is gone
# this script is too.
#
# $1 directory, $2 `tree` for all that lies below it, $3 bytes of a listing at most. An answer is `//same`, `//gone`, or a listing and
# `//end`. A line of a listing is NAME, two slashes, and facts: a name that find makes never has two slashes in a row, whatever else
# is in it, and facts have no newline.
path=$1 tree=$2 most=$3
[ -e "$path" ] || exit "$exit_missing"
[ -d "$path" ] || exit "$exit_not_directory"
cd "$path" || exit "$exit_tar_failed"
is_here "$path" || exit "$exit_elsewhere"
facts='%n//%f %i %s %y %z'
if [ -n "$tree" ]; then
  list() { find . -exec stat -c "$facts" {} + | head -c "$most"; }
else
  list() { find . \( -name . -o -prune \) -exec stat -c "$facts" {} + | head -c "$most"; }
fi
identity() { stat -c '%d %i' "$1"; }
here=$(identity .) || exit "$exit_tar_failed"
last='' sum=cksum
command -v cksum >/dev/null 2>&1 || sum=md5sum
# Entries that go while they are listed are no failure.
exec 2>/dev/null
while IFS= read -r _; do
  [ "$(identity "$path/.")" = "$here" ] || {
    printf '//gone\n'
    exit 0
  }
  now=$(list | $sum)
  # Without either nothing is compared here.
  if [ -n "$now" ] && [ "$now" = "$last" ]; then
    printf '//same\n'
  else
    last=$now
    list
    printf '//end\n'
  fi
done
