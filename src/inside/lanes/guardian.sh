#!/bin/sh
# The first process of a sandbox: as pid 1 a shell that waits for its child reaps every orphan. The child runs the program that
# stdin brings, in the foreground: started with `&` it would leave SIGINT and SIGQUIT ignored in every command. When it has
# ended, as by a command that killed it, $2$1 is printed, and the next program is waited for. Where stdin has ended, it sleeps.
#
# This is in the arguments of pid 1, for every process to read: it is short, and $1 and $2 are the tail and the head of what is
# printed, which has no blanks.
# shellcheck disable=SC2086,SC2172
trap : 1 2 3 13 15;while :;do sh -s caisson-lane&&sleep 9d;printf %s%s $2 $1;done
