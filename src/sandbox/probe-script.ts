/**
 * The script that a sandbox runs once about itself. POSIX sh with `cat`; it only reads, and what it cannot read it
 * leaves out. Kernel files are printed as they are (proc(5), cgroups(7)); single numbers get a name in front. Limits hold
 * from every cgroup on the way up from the sandbox's own, so those of all are printed.
 */
export const probeScript = `
echo '== caisson probe'
echo "uid=$(id -u 2>/dev/null)"
echo '== status'; cat /proc/self/status 2>/dev/null
echo '== limits'; cat /proc/self/limits 2>/dev/null
echo '== mounts'; cat /proc/self/mountinfo 2>/dev/null
echo '== network'; cat /proc/net/dev 2>/dev/null
echo '== cgroup'
p=; mem=; pid=; cpu=
while IFS=: read -r x names path; do
case ",$names," in ,,) p=$path;; *,memory,*) mem=$path;; *,pids,*) pid=$path;; *,cpu,*) cpu=$path;; esac
done </proc/self/cgroup 2>/dev/null
v() { [ -r "$2" ] && read -r x <"$2" && echo "$1=$x"; }
quota() { [ -r "$1/cpu.cfs_quota_us" ] && read -r x <"$1/cpu.cfs_quota_us" && read -r y <"$1/cpu.cfs_period_us" && echo "cpu=$x $y"; }
up() { d=\${2%/}; while :; do "$1" "$d"; case $d in /*) d=\${d%/*};; *) return;; esac; done; }
c=/sys/fs/cgroup
unified() { v memory "$c$1/memory.max"; v swap "$c$1/memory.swap.max"; v pids "$c$1/pids.max"; v cpu "$c$1/cpu.max"; }
memory() { v memory "$c/memory$1/memory.limit_in_bytes"; v memsw "$c/memory$1/memory.memsw.limit_in_bytes"; }
pids() { v pids "$c/pids$1/pids.max"; }
cores() { quota "$c/cpu$1"; }
up unified "$p"; up memory "$mem"; up pids "$pid"; up cores "$cpu"
echo '== end'
`;
