#!/bin/sh
# What a sandbox says of itself. Only reads, and leaves out what it cannot read. Kernel files are printed as they are
# (proc(5), cgroups(7)); single numbers get a name in front. Limits hold from every cgroup on the way up from the sandbox's
# own, so those of all are printed.
echo '== caisson probe'
echo "uid=$(id -u 2>/dev/null)"
echo '== status'
cat /proc/self/status 2>/dev/null
echo '== limits'
cat /proc/self/limits 2>/dev/null
echo '== mounts'
cat /proc/self/mountinfo 2>/dev/null
echo '== network'
cat /proc/net/dev 2>/dev/null
echo '== routes'
cat /proc/net/route 2>/dev/null
echo '== routes6'
cat /proc/net/ipv6_route 2>/dev/null
echo '== cgroup'
unified_path='' memory_path='' pids_path='' cpu_path=''
while IFS=: read -r _ controllers path; do
  case ",$controllers," in
    ,,) unified_path=$path ;;
    *,memory,*) memory_path=$path ;;
    *,pids,*) pids_path=$path ;;
    *,cpu,*) cpu_path=$path ;;
  esac
done </proc/self/cgroup 2>/dev/null
cgroups=/sys/fs/cgroup
# $1 name, $2 file with one value.
value() { [ -r "$2" ] && read -r content <"$2" && echo "$1=$content"; }
unified() {
  value memory "$cgroups$1/memory.max"
  value swap "$cgroups$1/memory.swap.max"
  value pids "$cgroups$1/pids.max"
  value cpu "$cgroups$1/cpu.max"
}
memory() {
  value memory "$cgroups/memory$1/memory.limit_in_bytes"
  value memsw "$cgroups/memory$1/memory.memsw.limit_in_bytes"
}
pids() { value pids "$cgroups/pids$1/pids.max"; }
cores() {
  [ -r "$cgroups/cpu$1/cpu.cfs_quota_us" ] || return
  read -r quota <"$cgroups/cpu$1/cpu.cfs_quota_us" && read -r period <"$cgroups/cpu$1/cpu.cfs_period_us" &&
    echo "cpu=$quota $period"
}
# $1 one of the functions above, $2 the cgroup from which it goes up.
up() {
  directory=${2%/}
  while :; do
    "$1" "$directory"
    case $directory in /*) directory=${directory%/*} ;; *) return ;; esac
  done
}
up unified "$unified_path"
up memory "$memory_path"
up pids "$pids_path"
up cores "$cpu_path"
echo '== kernel'
value ptrace_scope /proc/sys/kernel/yama/ptrace_scope
echo '== end'
