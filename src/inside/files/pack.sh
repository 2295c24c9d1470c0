#!/bin/sh
# Writes a file or a directory as a tar stream: a directory as `.`, a file as `./NAME`.
#
# $1 source, $2 `contents` when it must be a directory, $3 a directory that must not come out, or nothing, $4 where the
# reader expects it below the source, and leaves it out. What leads to it by another way is refused.
path=$1 withheld=$3 left_out=$4
command -v tar >/dev/null 2>&1 || exit "$exit_no_tar"
follow_links
if [ -d "$path" ]; then
  cd "$path" || exit "$exit_tar_failed"
  set -- .
elif [ -f "$path" ]; then
  [ "$2" != contents ] || exit "$exit_not_directory"
  cd "${path%/*}/" || exit "$exit_tar_failed"
  set -- "./${path##*/}"
elif [ -e "$path" ]; then
  exit "$exit_special"
else
  exit "$exit_missing"
fi
here=$(pwd -P && echo .)
here=${here%??}
# What the kernel makes up as it is read has no size, or a wrong one, and would come out empty or padded.
case $here/ in /proc/* | /sys/*) exit "$exit_sizeless" ;; esac
if [ -n "$withheld" ] && withheld_real=$(cd "$withheld" 2>/dev/null && pwd -P && echo .); then
  withheld_real=${withheld_real%??}
  case $here/ in "$withheld_real"/*) exit "$exit_withheld" ;; esac
  case $withheld_real in
    "${here%/}"/*) [ "${withheld_real#"${here%/}"/}" = "$left_out" ] || exit "$exit_withheld" ;;
  esac
fi
# GNU tar would send the second name of a file as a link to the first, and read escapes in the name; the others have no
# option for either.
case $(tar --version 2>/dev/null) in
  *'GNU tar'*) tar --no-unquote --hard-dereference --format=gnu -c -f - -- "$1" ;;
  *) tar -c -f - -- "$1" ;;
esac
# GNU tar fails with 2, with which a shell exits that cannot start a process.
status=$?
[ "$status" -ne 2 ] || exit "$exit_tar_failed"
exit "$status"
