# The first process of a sandbox: makes its root out of a directory, and stays to collect what its commands leave behind. It
# starts in namespaces of its own. Arguments: the directory; control groups and the places to show them at; `--`; and what of
# the host is shown in it. All of that is read-only.
set -eu
show() {
  if [ -d "$1" ]; then
    mkdir -p "$2"
  else
    mkdir -p "${2%/*}"
    [ -e "$2" ] || : >"$2"
  fi
  mount --rbind "$1" "$2"
  mount -o remount,bind,ro "$2"
}
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
mkdir -p "$root/sys"
mount -t tmpfs -o nosuid,nodev,noexec,mode=755,size=64k tmpfs "$root/sys"
while [ "$1" != -- ]; do
  show "$1" "$root$2"
  shift 2
done
shift
for shared; do
  if [ -L "$shared" ]; then
    [ -L "$root$shared" ] || ln -s "$(readlink "$shared")" "$root$shared"
  elif [ -e "$shared" ]; then
    show "$shared" "$root$shared"
  fi
done
cd "$root"
mkdir -p proc dev tmp var/tmp root etc
chmod 1777 tmp var/tmp
mount -t proc -o nosuid,nodev,noexec proc proc
mount -t tmpfs -o nosuid,mode=755,size=64k tmpfs dev
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
mount -t tmpfs -o nosuid,nodev,mode=1777,size=64m tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s /proc/self/fd/0 dev/stdin
ln -s /proc/self/fd/1 dev/stdout
ln -s /proc/self/fd/2 dev/stderr
for device in null zero full random urandom tty; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ip link set lo up 2>/dev/null || true
mkdir .before
pivot_root . .before
cd /
umount -l /.before
rmdir /.before
echo ready
exec >/dev/null 2>&1 </dev/null
trap : HUP INT QUIT TERM
while :; do
  sleep 2147483 &
  wait || true
done
