#!/bin/sh
# A shell that stays: reads lines of an id and a command in base64, sources each, and writes its output as lines of base64.
cz_directory=$(mktemp -d) || exit 1
cz_carry() {
  while IFS= read -r cz_line || [ -n "$cz_line" ]; do
    printf '%s %s %s\n' "$1" "$2" "$(printf '%s\n' "$cz_line" | base64 | tr -d '\n')" >&9
  done
}
exec 9>&1
while IFS=' ' read -r cz_id cz_command <&8; do
  printf '%s' "$cz_command" | base64 -d >"$cz_directory/command"
  rm -f "$cz_directory/out" "$cz_directory/err"
  mkfifo "$cz_directory/out" "$cz_directory/err"
  cz_carry "$cz_id" stdout <"$cz_directory/out" &
  cz_out=$!
  cz_carry "$cz_id" stderr <"$cz_directory/err" &
  cz_err=$!
  # shellcheck disable=SC1091
  . "$cz_directory/command" >"$cz_directory/out" 2>"$cz_directory/err" </dev/null
  cz_status=$?
  wait "$cz_out" "$cz_err"
  printf '%s exit %s\n' "$cz_id" "$cz_status" >&9
done 8<&0
rm -rf "$cz_directory"
