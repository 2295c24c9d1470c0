#!/bin/sh
# Looks whether directory $1 can be entered and program $2 is there. Exit code 0: it can start; 90: no directory; 127: no such
# program; 126: it cannot be executed.
cd -- "$1" || exit 90
is_program() { [ -f "$1" ] && [ -x "$1" ]; }
case $2 in
  */*)
    [ -e "$2" ] || exit 127
    is_program "$2" || exit 126
    exit 0
    ;;
esac
rest=$PATH: found=
while [ -n "$rest" ]; do
  entry=${rest%%:*} rest=${rest#*:}
  is_program "${entry:-.}/$2" && exit 0
  [ ! -f "${entry:-.}/$2" ] || found=y
done
[ -z "$found" ] || exit 126
exit 127
