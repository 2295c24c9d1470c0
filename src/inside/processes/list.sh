#!/bin/sh
# Prints one line for each process, fields parted by spaces, "-" for what is not there:
# ID supervisor-pid alive child-pid alive started status ended open ticks cuts young input JSON
#
# $1 key, $2 an id, or empty for all. One that ends while this looks is looked at again: its status is there before its
# supervisor goes.
kept_directory processes "$1"
cd -- "$_cz_base" || exit 1
is_alive() { born "$1" && [ "$_cz_born" = "$2" ]; }
# To open a fifo would wait for a writer, and no other process would be listed.
is_file() { [ -f "$1" ]; }
# $1 id, $2 not empty: the second look.
show() {
  pid=- pid_born='' started=- child=- child_born='' status=- ended=- open=- ticks=- cut=-
  pid_alive=n child_alive=n young=n input=n holder='' holder_born='' meta=''
  [ -d "$1" ] || return
  {
    is_file "$1/exit" && read -r status ended open ticks <"$1/exit"
    is_file "$1/pid" && read -r pid pid_born started <"$1/pid"
    is_file "$1/child" && read -r child child_born <"$1/child"
    is_file "$1/holder" && read -r holder holder_born <"$1/holder"
    is_file "$1/command" && IFS= read -r meta <"$1/command"
  } 2>/dev/null
  if [ "$status" = - ]; then
    is_alive "$pid" "$pid_born" && pid_alive=y
    is_alive "$child" "$child_born" && child_alive=y
    if [ -z "$holder" ]; then
      # The supervisor has not begun yet.
      [ ! -p "$1/in" ] || input=y
    elif is_alive "$holder" "$holder_born"; then
      input=y
    fi
    if [ -e "$1/exit" ] && [ -z "$2" ]; then
      show "$1" again
      return
    fi
  fi
  [ ! -e "$1/out.cut" ] || cut=o
  [ ! -e "$1/err.cut" ] || cut=$cut.e
  [ "$pid" != - ] && [ "$child" != - ] || [ -n "$(find "./$1" -maxdepth 0 -mmin +1)" ] || young=y
  printf '%s %s %s %s %s %s %s %s %s %s %s %s %s %s\n' "$1" "${pid:--}" "$pid_alive" "${child:--}" "$child_alive" \
    "${started:--}" "${status:--}" "${ended:--}" "${open:--}" "${ticks:--}" "$cut" "$young" "$input" "$meta"
}
if [ -n "$2" ]; then
  show "$2" ''
else
  count=0
  for id in exec_*; do
    [ "$count" -lt 1000 ] && show "$id" ''
    count=$((count + 1))
  done
fi
:
