#!/bin/sh
# Starts one command. Its text comes on stdin, so that nothing of it stands in the address of the request. The first line says how,
# and has the mark that this shell prints on both streams, with the status, when the command has ended: the cluster tells the end of
# a command only when no process holds its streams any more.
#   r LENGTH MARK [UID]   the text has so many bytes; 0: it is the next line. The command has no stdin
#   s LENGTH MARK [UID]   the same; what follows the text is the stdin of the command
#   f LENGTH MARK [UID]   frames follow: a length on a line and so many bytes, 0 at the end. They carry the text, and then the stdin of the
#                   command: the older protocol of the cluster cannot end it
# With a UID nothing starts, and the status is 124, unless it is that of this pod: a cluster finds pods by their name, which another one
# may have by now.
# A command leads a group of its own, so that a signal to it spares the shells of this script: they tell how it ends.
# Input that a command leaves unread is read here to its end: a connection that closes with unread bytes would lose what is on its way.
cz_feed() {
  while IFS=' ' read -r cz_n && [ "$cz_n" -gt 0 ]; do
    dd bs="$cz_n" count=1 iflag=fullblock 2>/dev/null
  done
}
cz_tell() {
  printf '%s%s;' "$cz_e" "$1" >&5
  printf '%s%s;' "$cz_e" "$1" >&4
}
unset cz_m cz_n cz_e cz_u
IFS=' ' read -r cz_m cz_n cz_e cz_u || exit 125
# shellcheck disable=SC2016
cz_boot='if [ "$1" = 0 ]; then IFS= LC_ALL=C read -r _cz_t; else _cz_t=$(dd bs=$1 count=1 iflag=fullblock 2>/dev/null); fi'
case $cz_u in
  '' | "${CAISSON_POD_UID-}") cz_boot="$cz_boot && eval \"\$_cz_t\"" ;;
  *) cz_boot="$cz_boot; exit 124" ;;
esac
unset CAISSON_POD_UID
# What this shell says of a child that a signal ended is not the command's: it says that on its own stderr, and that is the one of a
# command too whose redirections it makes itself.
exec 3<&0 4>&2 5>&1 2>/dev/null
case $cz_m in
  f)
    # The feeder holds no stream of the command, so that it does not keep them open; but the pipe from which the status is read. A
    # shell keeps copies of what a function's own redirections replace: exec does not.
    cz_s=$(
      exec 6>&1
      { (exec <&3 3<&- 4>&- 5>&- && cz_feed) & } | (exec >&5 2>&4 3<&- 4>&- 5>&- 6>&-; exec setsid /bin/sh -c "$cz_boot" sh "$cz_n")
      cz_s=$?
      cz_tell "$cz_s"
      echo "$cz_s"
    )
    ;;
  *)
    (exec 2>&4 3<&- 4>&- 5>&-; exec setsid /bin/sh -c "$cz_boot" sh "$cz_n")
    cz_s=$?
    cz_tell "$cz_s"
    [ "$cz_m" = r ] || cat <&3 >/dev/null
    ;;
esac
exit "$cz_s"
