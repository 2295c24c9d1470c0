#!/bin/bash
# `read` would split by an IFS that is not ours to change; in posix mode `declare -f` knows not all functions.
command set +o posix
_cz_s=''
command mapfile -t _cz_a
