#!/bin/sh
# The program `mark`: adds its words to the log on descriptor 9.
printf '%s %s\n' "$T" "$*" >&9
