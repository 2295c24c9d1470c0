#!/bin/bash
# What cannot be seen from within the snapshot: `command` puts the ERR trap and `set -e` aside in what is left of `||` and `&&`, and
# `$(...)` has no `set -e`. These two, and the RETURN trap, are taken up after the rest.
_cz_k="${DIRSTACK[*]}"
case ${#DIRSTACK[@]}/${#_cz_k} in ????*/* | */??????*) _cz_w=${_cz_w}d ;; esac
_cz_t=''
command shopt -q expand_aliases || _cz_t='\command shopt -u expand_aliases
'
_cz_t=$_cz_t$(
  \command printf '\\command '
  \command trap -p ERR
  \command printf '\n\\command '
  \command trap -p RETURN
)
case $_cz_o in *e*) _cz_t="$_cz_t$_cz_n\\command set -e" ;; esac
