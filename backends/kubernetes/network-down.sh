#!/bin/sh
# Takes every interface of the pod away but loopback, or down where it cannot be taken away.
for cz_i in /sys/class/net/*; do
  cz_i=${cz_i##*/}
  [ "$cz_i" = lo ] || ip link delete "$cz_i" 2>/dev/null || ip link set "$cz_i" down || exit 1
done
