#!/bin/sh
# Removes all that is kept for $1, the sandbox's part of a shared home.
[ -z "$1" ] || rm -rf "${XDG_STATE_HOME:-$HOME/.local/state}/caisson/$1"
