#!/bin/sh
# Writes stdin to a file, which is old or new afterwards.
#
# $1 path, $2 bytes on stdin, $3 what must be there: empty for anything, `none`, or a SHA-256, $4 `parents` to make the
# directories above, $5 scratch name. Goes through a link at the end, unless the path is real; mode and owner of a file that
# is there stay.
path=$1
[ -n "$real" ] || follow_links
directory=${path%/*}
[ -d "$directory/" ] || { [ -n "$4" ] && mkdir -p "$directory/" 2>/dev/null; } || {
  above=$directory
  while [ -n "$above" ] && [ ! -e "$above" ]; do above=${above%/*}; done
  [ ! -d "${above:-/}" ] || exit_unwritten "${above:-/}" "$exit_no_parent"
  exit "$exit_no_parent"
}
enter_parent
[ -z "$real" ] || [ ! -L "$name" ] || exit "$exit_elsewhere"
[ ! -d "$name" ] || exit "$exit_is_directory"
[ -f "$name" ] || [ ! -e "$name" ] || exit "$exit_special"
scratch=./$5 only=
[ -z "$real" ] || case $(mv --help 2>&1) in *-T*) only=T ;; esac
trap 'rm -f "$scratch"' EXIT
trap 'exit 143' HUP INT TERM
# A shell ends when a redirection of `:` fails, but not one of `command :`.
if [ -f "$name" ]; then
  # Another program may remove the file meanwhile: then it is written as a new one.
  cp -p "$name" "$scratch" || { [ ! -e "$name" ] && command : >"$scratch"; }
else
  command : >"$scratch"
fi || exit_unwritten . "$exit_no_scratch"
cat >"$scratch" || exit "$exit_no_scratch"
[ "$(size_of <"$scratch")" -eq "$2" ] || exit "$exit_incomplete"
case $3 in
  '') ;;
  none)
    # Of several writers one makes the link. A file system without links is written as any other.
    ! ln "$scratch" "$name" 2>/dev/null || exit 0
    [ ! -e "$name" ] || exit "$exit_changed"
    ;;
  *)
    found=$(sha256sum <"$name" 2>/dev/null) || found=
    [ "${found%% *}" = "$3" ] || exit "$exit_changed"
    ;;
esac
mv "-f$only" "$scratch" "$name" || exit "$exit_not_placed"
