#!/bin/sh
# Functions cannot be printed, and of an alias `type` does not tell whether it is a function too.
case $(\command unalias "$_cz_x"; \command type "$_cz_x") in
  *"is a "*function*)
    _cz_k=f
    _cz_insert_put
    _cz_k=$_cz_x
    _cz_insert_put
    _cz_k=''
    _cz_insert_put
    ;;
esac
