#!/bin/bash
# Lines are shown as they are read. Where the first one has more before it than the caller's, it is shown here, and those after its
# last command by bash.
case $_cz_k$_cz_d in
  '') command set -v ;;
  *)
    command printf '%s\n' "${_cz_X%%"$_cz_n"*}" >&2
    _cz_k=v$_cz_k
    ;;
esac
