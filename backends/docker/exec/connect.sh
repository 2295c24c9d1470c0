#!/bin/sh
# Makes the pipes $1, $2 and $3, holds both sides of each so that no side waits for the other, and says so over the engine's
# streams. When it hears that the other side is open, it takes the pipes for its streams, says so over them, and becomes the
# command, which is the rest. When the engine's streams end before, so does it, and nothing stays.
if mkfifo -m 600 "$1" "$2" "$3" && exec 3<>"$1" 4<>"$2" 5<>"$3" && echo made && read -r _cz_go && [ "$_cz_go" = go ]; then
  exec <"$1" >"$2" 2>"$3" 3>&- 4>&- 5>&-
  rm -f "$1" "$2" "$3"
else
  rm -f "$1" "$2" "$3"
  exit 1
fi
printf + || exit 1
shift 3
exec "$@"
