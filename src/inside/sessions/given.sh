#!/bin/sh
# The names in the environment, in _cz_v: a variable that the caller has taken out of it does not come back with the next shell.
# shellcheck disable=SC2162,SC2163
_cz_v=$(
  \command export -p | while \command read -r _cz_x; do
    _cz_x=${_cz_x#declare -x } _cz_x=${_cz_x#export } _cz_x=${_cz_x%%=*}
    case $_cz_x in
      *[!a-zA-Z0-9_]* | [0-9]* | '' | _ | PWD | OPTIND | SHLVL | HOSTNAME | HOSTTYPE | MACHTYPE | OSTYPE | CAISSON_*) ;;
      *) command printf '%s ' "$_cz_x" ;;
    esac
  done
)
