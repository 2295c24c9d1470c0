#!/bin/sh
# Runs a command inside a sandbox: $1 is its first process as the host counts, $2 yes when it has a network of its own, $3 its
# directory to start in. Up to `--` come the files that put a process into control groups, then the command.
umask 022
cz_pid=$1 cz_network=$2 cz_cwd=$3
shift 3
while [ "$1" != -- ]; do
  echo $$ >"$1" || exit 125
  shift
done
shift
[ "$cz_network" != yes ] || set -- -n "--wdns=$cz_cwd" -- "$@"
[ "$cz_network" = yes ] || set -- "--wdns=$cz_cwd" -- "$@"
exec nsenter -t "$cz_pid" -m -p -u -i "$@"
