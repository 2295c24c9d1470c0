/**
 * The script that a sandbox runs once about itself. POSIX sh with `cat`; it only reads, and what it cannot read it
 * leaves out. Kernel files are printed as they are (proc(5), cgroups(7)); single numbers get a name in front.
 */
export const probeScript = `
echo '== caisson probe'
echo "uid=$(id -u 2>/dev/null)"
echo '== status'; cat /proc/self/status 2>/dev/null
echo '== limits'; cat /proc/self/limits 2>/dev/null
echo '== mounts'; cat /proc/self/mountinfo 2>/dev/null
echo '== network'; cat /proc/net/dev 2>/dev/null
echo '== cgroup'
v() { [ -r "$2" ] && read -r x <"$2" && echo "$1=$x"; }
c=/sys/fs/cgroup
v memory $c/memory.max; v swap $c/memory.swap.max; v pids $c/pids.max; v cpu $c/cpu.max
v memory $c/memory/memory.limit_in_bytes; v memsw $c/memory/memory.memsw.limit_in_bytes
v pids $c/pids/pids.max; v quota $c/cpu/cpu.cfs_quota_us; v period $c/cpu/cpu.cfs_period_us
echo '== end'
`;
