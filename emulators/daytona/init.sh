#!/bin/sh
# First process of a sandbox, in mount and process namespaces of its own: makes its root, then stays and reaps.
# $1 directory of the sandbox, $2 lower layer, $3 yes when /usr is that of the host, $4 yes when loopback is to be brought up.
# Other arguments: NAME=DIRECTORY of control groups that the sandbox may read.
set -e
cz_home=$1 cz_lower=$2 cz_host_usr=$3 cz_loopback=$4
shift 4
mount --make-rprivate /
mkdir -p "$cz_home/disk" "$cz_home/root"
[ ! -f "$cz_home/disk.img" ] || mount -o loop,noatime "$cz_home/disk.img" "$cz_home/disk"
mkdir -p "$cz_home/disk/upper" "$cz_home/disk/work"
mount -t overlay overlay -o "lowerdir=$cz_lower,upperdir=$cz_home/disk/upper,workdir=$cz_home/disk/work" "$cz_home/root"
[ "$cz_loopback" != yes ] || ip link set lo up
cd "$cz_home/root"
mkdir -p proc sys dev tmp run root etc .host
chmod 1777 tmp
if [ "$cz_host_usr" = yes ]; then
  mount --bind /usr usr
  mount -o remount,bind,ro usr
fi
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t tmpfs -o nosuid,size=1m tmpfs sys
mkdir -p sys/fs/cgroup
for cz_group in "$@"; do
  cz_target=sys/fs/cgroup/${cz_group%%=*}
  mkdir -p "$cz_target"
  mount --bind "${cz_group#*=}" "$cz_target"
  mount -o remount,bind,ro "$cz_target"
done
mount -t tmpfs -o nosuid,size=64k,mode=755 tmpfs dev
for cz_device in null zero full random urandom tty; do
  : >"dev/$cz_device"
  mount --bind "/dev/$cz_device" "dev/$cz_device"
done
mkdir -p dev/pts dev/shm
mount -t devpts -o nosuid,noexec,newinstance,ptmxmode=666,mode=620 devpts dev/pts
mount -t tmpfs -o nosuid,nodev,size=64m,mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
[ ! -f /etc/resolv.conf ] || cat /etc/resolv.conf >etc/resolv.conf
pivot_root . .host
cd /
umount -l /.host
rmdir /.host
echo ready
exec </dev/null >/dev/null 2>&1
trap : HUP INT QUIT PIPE TERM
# A shell that waits for one child reaps every other one as well.
while :; do sleep 2147483; done
