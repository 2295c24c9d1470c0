#!/bin/sh
# Forgets the state of a session, or lists all that have some. $1 key, $2 name, or empty to list all.
kept_directory sessions "$1"
cd -- "$_cz_base" || exit 1
if [ -z "$2" ]; then
  for file in *.bash *.sh; do [ ! -f "$file" ] || echo "${file%.*}"; done
  exit 0
fi
# A name has no dot.
rm -f "./$2".*
