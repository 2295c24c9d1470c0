#!/bin/bash
# What cannot be seen from within the snapshot: `$(...)` has no `set -e`. It and aliases are taken up after the rest.
_cz_k="${DIRSTACK[*]}"
case ${#DIRSTACK[@]}/${#_cz_k} in ????*/* | */??????*) _cz_w=${_cz_w}d ;; esac
_cz_t=''
command shopt -q expand_aliases || _cz_t="\\command shopt -u expand_aliases$_cz_n"
case $_cz_o in *e*) _cz_t="$_cz_t$_cz_n\\command set -e" ;; esac
