#!/bin/sh
# Appends _cz_k to the answer, as a netstring.
_cz_s=$_cz_s${#_cz_k}:$_cz_k,
