#!/bin/sh
# Ends the text of a session. $1 pid of its shell, $2 which shell it is: bash ends itself, sh ends its text.
case $2 in
  bash) kill -9 "$1" ;;
  *) kill -s URG "$1" ;;
esac
