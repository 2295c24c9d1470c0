#!/bin/sh
# SIGXFSZ would end a shell whose state is larger than a file may be. A trap of it cannot be read in every shell, and is lost.
_cz_y='trap - XFSZ'
command trap '' XFSZ
