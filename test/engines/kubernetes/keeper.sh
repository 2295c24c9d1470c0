#!/usr/bin/env bash
# keeper.sh PROGRAMS DIRECTORY NAME ADDRESS [DISK]: keeps a test cluster for as long as its standard input is open, whatever becomes of
# the owner, and leaves nothing of it behind. Prints the process that has its namespaces.
set -uo pipefail
programs=$1 dir=$2 name=$3 address=$4 disk=${5:-}
unshare --mount --net --pid --uts --ipc --fork --kill-child=KILL --mount-proc \
  bash "$(dirname "$0")/cluster.sh" "$programs" "$dir" "$name" "$address" "$disk" </dev/null >"$dir/cluster.log" 2>&1 &
pid=$!
echo "$pid"
trap '' TERM INT HUP
cat >/dev/null
kill -KILL "$pid" 2>/dev/null
wait "$pid" 2>/dev/null
# A group can be removed when the last of its processes has been reaped.
for _ in $(seq 50); do
  left=$(find /sys/fs/cgroup -depth -type d -path "*/$name*" -print 2>/dev/null)
  [ -n "$left" ] || break
  xargs -r rmdir <<<"$left" 2>/dev/null || sleep 0.1
done
rm -rf "$dir"
