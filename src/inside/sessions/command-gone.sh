#!/bin/sh
# A function of the caller that is called command is taken away.
command printf '%s\n' 'caisson: the function called command is not kept: sessions need that name' >&9
