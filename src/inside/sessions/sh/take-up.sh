#!/bin/sh
# Reads what aliases stood for from their quotes, without evaluating them; they may span lines.
# shellcheck disable=SC1003,SC2139
[ ! -f "$_cz_F.alias" ] || while IFS='' command read -r _cz_x; do
  _cz_k=$_cz_k$_cz_x _cz_X=${_cz_k#*=} _cz_q=''
  while :; do
    case $_cz_X in
      \'*\'*) _cz_X=${_cz_X#?}; _cz_q=$_cz_q${_cz_X%%\'*} _cz_X=${_cz_X#*\'} ;;
      \"*\"*) _cz_X=${_cz_X#?}; _cz_q=$_cz_q${_cz_X%%\"*} _cz_X=${_cz_X#*\"} ;;
      \\?*) _cz_X=${_cz_X#?}; _cz_q=$_cz_q${_cz_X%"${_cz_X#?}"} _cz_X=${_cz_X#?} ;;
      *) break ;;
    esac
  done
  case $_cz_X in
    '') command alias "${_cz_k%%=*}=$_cz_q"; _cz_k='' ;;
    *) _cz_k="$_cz_k
" ;;
  esac
done <"$_cz_F.alias"
