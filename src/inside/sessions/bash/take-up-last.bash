#!/bin/bash
# What would hinder all before it.
command eval "$_cz_t"
_cz_t=''
