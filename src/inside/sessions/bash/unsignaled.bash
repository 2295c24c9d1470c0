#!/bin/bash
# SIGXFSZ would end a shell whose state is larger than a file may be. What it does otherwise is left in _cz_y, to be set again.
_cz_y=$(\command trap -p XFSZ) _cz_y=${_cz_y:-trap - XFSZ}
command trap '' XFSZ
