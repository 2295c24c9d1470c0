#!/bin/sh
# First process on a new terminal: gives it a size, notes its name, and becomes the command.
# $1 rows, $2 columns, $3 where to note the name.
stty rows "$1" cols "$2" 2>/dev/null
tty >"$3"
shift 3
exec "$@"
