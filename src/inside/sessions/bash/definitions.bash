#!/bin/bash
# What the functions of a name are.
! command declare -F -- "$_cz_x" || {
  _cz_k=f
  _cz_insert_put
  _cz_k=$_cz_x
  _cz_insert_put
  _cz_k=$(\command declare -f -- "$_cz_x")
  _cz_insert_put
}
