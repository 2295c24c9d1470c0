#!/bin/sh
# Removes old processes. $1 key, $2 minutes, $3 not empty: only print what would go.
kept_directory processes "$1"
cd -- "$_cz_base" || exit 1
_cz_dry=$3
prune "$2" 2>/dev/null
