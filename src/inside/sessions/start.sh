#!/bin/sh
# Starts the shell of a session: bash where it is there, else sh. Its requests come by descriptor 7, its answers leave by 8.
#
# $1 key, $2 start nonce, $3 name of the session, $4 the loop for bash, $5 the loop for sh.
kept_directory sessions "$1"
umask "$_cz_umask"
command -v bash >/dev/null 2>&1 && exec bash -c "$4" caisson-session "$2" "$_cz_base/$3" 7<&0 8>&1 9>&2 </dev/null
exec sh -c "$5" caisson-session "$2" "$_cz_base/$3" 7<&0 8>&1 9>&2 </dev/null
