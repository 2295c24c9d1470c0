#!/bin/sh
# Sets _cz_w to letters for what a snapshot cannot hold (`src/exec/session/lost.ts`), _cz_m to the umask and _cz_q to the directory,
# which are kept, and _cz_y to the limit of the size of files. More than 999 words, or 99,999 characters of them, are not written again after each text.
_cz_w='' _cz_k="$*" _cz_y=${_cz_m%%"$_cz_n"*} _cz_m=${_cz_m#*"$_cz_n"}
case $#/${#_cz_k} in ????*/* | */??????*) _cz_w=${_cz_w}p ;; esac
_cz_q=/${_cz_m#*"$_cz_n"/} _cz_q=${_cz_q%?.} _cz_m=${_cz_m%%"$_cz_n"/*}
case ${_cz_m#*"$_cz_n"} in "${_cz_i#*"$_cz_n"}") ;; *) _cz_w=${_cz_w}o ;; esac
case ${!-} in ?*) ! command kill -0 "$!" 2>/dev/null || _cz_w=${_cz_w}j ;; esac
_cz_m=${_cz_m%%"$_cz_n"*}
