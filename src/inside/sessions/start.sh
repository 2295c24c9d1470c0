#!/bin/sh
# Begins the shell of a session. Its requests come by descriptor 7, its answers leave by 8 and 9.
#
# $1 key, $2 start nonce as TAIL.HEAD, $3 name of the session. Leaves the nonce and the file of its state.
kept_directory sessions "$1"
umask "$_cz_umask"
unset -f kept_directory
set -- "$2" "$_cz_base/$3"
unset _cz_umask _cz_base
exec 7<&0 8>&1 9>&2 </dev/null
