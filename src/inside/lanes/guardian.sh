#!/bin/sh
# The first process of a sandbox that keeps a lane on its own streams. As pid 1 a shell that waits for its child reaps every
# orphan. The lane runs in the foreground: started with `&` it would leave SIGINT and SIGQUIT ignored in every command. A lane
# that a command killed is replaced on the same streams; one that ends by itself found the end of its input, or no setsid, and
# the guardian then only sleeps.
#
# $1 text of the lane, the rest are its arguments.
_cz_lane=$1
shift
trap : HUP INT QUIT PIPE TERM
while :; do
  sh -c "$_cz_lane" lane "$@"
  case $? in 77 | 78) break ;; esac
done
exec </dev/null >/dev/null 2>&1
while :; do sleep 2147483; done
