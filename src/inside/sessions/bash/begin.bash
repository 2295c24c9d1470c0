#!/bin/bash
# What the shell gives its own variables, to compare with.
_cz_t='' _cz_d='' _cz_D='' _cz_h=$(\command declare -p OPTIND SHLVL HOSTNAME HOSTTYPE MACHTYPE OSTYPE)
shopt -s expand_aliases
