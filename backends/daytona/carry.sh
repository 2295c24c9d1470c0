#!/bin/sh
# Carries one command over a raw terminal, by frames both ways. $cz_line starts the shell that becomes the command; its text comes
# first, in frames L. The terminal may be taken up again at any time, and what was lost meanwhile is asked for by R.
#
#   in   L n length|last bytes   the next part of the text
#        I n length bytes        input; E n: its end
#        A out err               how many chunks of each stream the reader has taken
#        S n name pid born       a signal, for the process group of the command
#        R mark out err          taken up again: which chunks have arrived
#        P                       the reader is there; Q: it needs nothing more
#   out  o|e n length bytes      a chunk; of length 0: the stream has ended
#        i n                     input up to n has been passed on
#        x status                the command has ended
#        l n, r in signal        answers to R: what has arrived here
#        p                       answer to P
cz_dir=$(mktemp -d /dev/shm/caisson.XXXXXX 2>/dev/null || mktemp -d /tmp/caisson.XXXXXX) || exit 1
mkfifo "$cz_dir/o" "$cz_dir/e" || exit 1
# What programs complain of must not come between frames.
exec 5>&1 6<>"$cz_dir/o" 7<>"$cz_dir/e" 2>/dev/null
# A chunk is read when there is a line to take, so that no more than three of a stream are on their way.
for cz_x in 1 2 3; do
  echo >&6
  echo >&7
done

# So many bytes of the terminal and none beyond: head of busybox reads ahead.
cz_exactly() {
  dd bs="$1" count=1 iflag=fullblock 2>/dev/null
}

cz_leave() {
  rm -rf "$cz_dir"
  kill -s KILL 0
}

# The terminal may lose its reader for good, without an end.
cz_watch() {
  while sleep 45; do
    [ -e "$cz_dir/beat" ] || cz_leave
    rm -f "$cz_dir/beat"
  done
}

# Input of frame $1, as far as $2 have arrived: kept in a file, or passed over when it is known.
cz_keep() {
  if [ "$1" -gt "$2" ]; then cz_exactly "$3" >"$cz_dir/i$(($1 % 4))"; else cz_exactly "$3" >/dev/null; fi
}

cz_signal() {
  read -r cz_x 2>/dev/null <"/proc/$2/stat" || return 0
  # After the name of the program: the start time is field 22 of proc(5) stat.
  # shellcheck disable=SC2086
  set -- "$1" "$2" "$3" ${cz_x##*) }
  [ "${23}" = "$3" ] || return 0
  kill -s "$1" -- "-$2" || kill -s "$1" "$2"
}

# Reads frames. Lines for the pump go to stdout, those for the terminal to 4.
cz_control() {
  trap '' PIPE
  cz_out=0 cz_err=0 cz_in=0 cz_sig=0
  while IFS=' ' read -r cz_k cz_a cz_b cz_c cz_d; do
    : >"$cz_dir/beat"
    case $cz_k in
      I)
        cz_keep "$cz_a" "$cz_in" "$cz_b"
        [ "$cz_a" -le "$cz_in" ] || { cz_in=$cz_a && echo "i $cz_a"; }
        ;;
      E) [ "$cz_a" -le "$cz_in" ] || { cz_in=$cz_a && echo E; } ;;
      A)
        while [ "$cz_out" -lt "$cz_a" ]; do
          cz_out=$((cz_out + 1))
          echo >&6
        done
        while [ "$cz_err" -lt "$cz_b" ]; do
          cz_err=$((cz_err + 1))
          echo >&7
        done
        ;;
      S) [ "$cz_a" -le "$cz_sig" ] || { cz_sig=$cz_a && cz_signal "$cz_b" "$cz_c" "$cz_d"; } ;;
      R) echo "R $cz_a $cz_b $cz_c $cz_in $cz_sig" >&4 ;;
      P) echo p >&4 ;;
      Q) break ;;
    esac
  done
  cz_leave
}

# Feeds the command: first its text, then input as it comes.
cz_pump() {
  trap '' PIPE
  printf '%s\n' "$cz_text"
  while IFS=' ' read -r cz_k cz_a; do
    [ "$cz_k" = i ] || break
    cat "$cz_dir/i$((cz_a % 4))"
    echo "i $cz_a" >&4
  done
}

# Not in the background: a shell would ignore signals there, and hand that on. What it says of a command that a signal ended is not
# the command's.
cz_command() {
  exec 8>&2 2>/dev/null
  # In a shell of its own: this one would have the command's stderr as well while it waits.
  (exec setsid /bin/sh -c "$cz_line" 2>&8 3>&- 4>&- 5>&- 6>&- 7>&- 8>&-)
  echo "x $?" >&4
}

# Of stream $1, by its descriptor of turns.
cz_take() {
  cz_n=0
  while read -r cz_x <&"$2"; do
    cz_n=$((cz_n + 1))
    dd bs=65536 count=1 of="$cz_dir/$1$((cz_n % 4))" 2>/dev/null
    cz_size=$(wc -c <"$cz_dir/$1$((cz_n % 4))")
    echo "$1 $cz_n $((cz_size))"
    [ "$cz_size" -gt 0 ] || break
  done
}

cz_chunk() {
  echo "$1 $2 $3"
  [ "$3" -eq 0 ] || cat "$cz_dir/$1$(($2 % 4))"
}

# Chunks of stream $1 after number $2, up to $3.
cz_again() {
  cz_n=$2
  while [ "$cz_n" -lt "$3" ]; do
    cz_n=$((cz_n + 1))
    eval "cz_size=\$cz_$1$((cz_n % 4))"
    cz_chunk "$1" "$cz_n" "$cz_size"
  done
}

# Alone writes to the terminal.
cz_put() {
  cz_last_o=0 cz_last_e=0 cz_fed=0 cz_status=
  while IFS=' ' read -r cz_k cz_a cz_b cz_c cz_d cz_f; do
    case $cz_k in
      o | e)
        eval "cz_last_$cz_k=$cz_a cz_$cz_k$((cz_a % 4))=$cz_b"
        cz_chunk "$cz_k" "$cz_a" "$cz_b"
        ;;
      i)
        cz_fed=$cz_a
        echo "i $cz_a"
        ;;
      x)
        cz_status=$cz_a
        echo "x $cz_a"
        ;;
      R)
        printf '%s;' "$cz_a"
        cz_again o "$cz_b" "$cz_last_o"
        cz_again e "$cz_c" "$cz_last_e"
        echo "i $cz_fed"
        [ -z "$cz_status" ] || echo "x $cz_status"
        echo "r $cz_d $cz_f"
        ;;
      p) echo p ;;
    esac
  done
}

cz_watch </dev/null >/dev/null 2>&1 5>&- 6>&- 7>&- &
cz_text='' cz_part=0
while IFS=' ' read -r cz_k cz_a cz_b cz_c; do
  : >"$cz_dir/beat"
  case $cz_k in
    L)
      # A last newline would be lost with the substitution.
      cz_x=$(cz_exactly "$cz_b" && echo .)
      [ "$cz_a" -le "$cz_part" ] || { cz_part=$cz_a && cz_text=$cz_text${cz_x%.}; }
      [ "$cz_c" != last ] || break
      ;;
    R) printf '%s;l %s\n' "$cz_a" "$cz_part" ;;
    P) echo p ;;
    *) cz_leave ;;
  esac
done
# By exec, since a shell keeps a copy of what it redirects for the time of a call, and a copy would keep a stream open.
{
  cz_control | cz_pump | {
    {
      { exec 2>&1 >&3 3>&-; cz_command; } | { exec >&4 3>&-; cz_take e 7; }
    } 3>&1 | { exec >&4; cz_take o 6; }
  }
} 4>&1 | cz_put >&5
