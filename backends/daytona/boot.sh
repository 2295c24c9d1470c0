#!/bin/sh
# Typed into the login shell of a new terminal, behind which nothing is echoed or changed any more. $1 and $2 are the halves of a
# mark, apart so that an echo of this line is no mark; $3 is the length of the script that follows.
stty raw -echo
printf '%s%s;' "$1" "$2"
eval "$(dd bs="$3" count=1 iflag=fullblock 2>/dev/null)"
