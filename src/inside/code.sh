#!/bin/sh
# Runs a program from stdin in a directory of its own, which is made here or the run fails.
#
# $1 name of the directory, $2 name of the file, $3 commands to try, $4 variables that the program must not inherit. Names
# have a prefix, since the program may have variables of any other.
exec 3>&2
for _cz_program in $3; do
  command -v "$_cz_program" >/dev/null 2>&1 && break
  _cz_program=
done
if [ -z "$_cz_program" ]; then
  echo "none of these is here: $3" >&2
  exit 127
fi
_cz_directory=${TMPDIR:-/tmp}/$1
mkdir -m 700 "$_cz_directory" || exit 125
# A list of names.
# shellcheck disable=SC2086
[ -z "$4" ] || unset $4
trap 'cd /; rm -rf "$_cz_directory" 2>&3' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$_cz_directory" || exit 125
_cz_umask=$(umask)
umask 077
cat >"$2" || exit 125
umask "$_cz_umask"
# A shell writes the name of the signal that ended a program to stderr, which is the program's.
exec 2>/dev/null
(exec "$_cz_program" "$2" </dev/null 2>&3 3>&-)
