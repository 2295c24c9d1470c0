#!/bin/sh
# Sends signal $1 to the process that carries CAISSON_EXEC=$CAISSON_KILL and whose parent is outside the container. Prints
# `sent` or `none`; exit code 1 where it cannot look.
found=
command -v tr >/dev/null && command -v grep >/dev/null || exit 1
for directory in /proc/[0-9]*; do
  parent=
  while read -r key value _; do
    if [ "$key" = PPid: ]; then
      parent=$value
      break
    fi
  done <"$directory/status"
  [ "$parent" = 0 ] || continue
  # `read` drops the NULs of environ, so the match by the shell alone is a first sieve: exec_1 would be found in exec_12.
  seen=
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in *"CAISSON_EXEC=$CAISSON_KILL"*) seen=1 ;; esac
  done <"$directory/environ"
  [ -n "$seen" ] && tr '\0' '\n' <"$directory/environ" | grep -qxF "CAISSON_EXEC=$CAISSON_KILL" &&
    kill -"$1" "${directory#/proc/}" && found=sent
done 2>/dev/null
echo "${found:-none}"
