#!/bin/sh
# Runs each form of $1/forms in a fresh copy of $1/t, and prints the names of those that ran the stub, wrote beside it, or removed `f`.
cd "$1" || exit
for form in forms/*; do
  rm -rf w ran out*
  cp -a t w
  (cd w && timeout 20 sh "../$form") </dev/null >/dev/null 2>&1
  # What a form starts may outlive it for a moment.
  for wait in 0 0.1 0.5 2; do
    sleep "$wait"
    [ -e w/f ] || : >ran
    if [ -e ran ] || [ -n "$(find . -maxdepth 1 -name 'out*')" ]; then
      echo "${form#forms/}"
      break
    fi
  done
done
