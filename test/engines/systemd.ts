/**
 * A machine that systemd runs: a real systemd as the first process of namespaces of its own, with the controllers of this kernel
 * below a cgroup of its own. It has one unit, such as an sshd, and the network and files of this machine.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { enginesRequired } from './places.ts';
import { findCommand } from './privileges.ts';
import { type Sshd, startSshd, whyNoSshd } from './sshd.ts';

const systemd = '/usr/lib/systemd/systemd';

function whyNoSystemd(): string | null {
  const missing = ['systemd-run', 'systemctl', 'unshare'].filter((name) => findCommand(name) === null);
  if (missing.length > 0) return `${missing.join(', ')} not found: run \`npm run engines\``;
  return process.getuid?.() === 0 ? whyNoSshd() : 'namespaces and cgroups of a machine of its own need root';
}

/** For tests that only skip where it cannot be, and fail where engines are required. */
export function hasSystemd(): boolean {
  const why = whyNoSystemd();
  if (why !== null && enginesRequired()) throw new Error(why);
  return why === null;
}

export async function startSystemdSshd(): Promise<Sshd> {
  return await startSshd([], (sshd, directory) => {
    const unit = `[Unit]\nDefaultDependencies=no\n[Service]\nExecStart=${sshd.join(' ')}\nKillMode=process\n`;
    return machineOf(directory, { 'sshd.service': unit });
  });
}

/** What starts it. `units`: files by their paths, the first of which is the unit. It ends with its parent. */
export function machineOf(directory: string, units: Readonly<Record<string, string>>): readonly [string, ...string[]] {
  const [unit = ''] = Object.keys(units);
  const target = `[Unit]\nDefaultDependencies=no\nWants=${unit}\n`;
  for (const [path, text] of Object.entries({ ...units, 'machine.target': target })) {
    mkdirSync(dirname(join(directory, 'units', path)), { recursive: true });
    writeFileSync(join(directory, 'units', path), text);
  }
  writeFileSync(join(directory, 'machine-id'), `${'0123456789abcdef'.repeat(2)}\n`);
  writeFileSync(join(directory, 'inside'), inside);
  return ['sh', '-c', outside, 'sh', directory, systemd];
}

/** Ends with its parent, and takes its cgroups along. */
const outside = `
name=caisson-test-$$
in_each() { for root in /sys/fs/cgroup /sys/fs/cgroup/cpu /sys/fs/cgroup/cpuacct /sys/fs/cgroup/memory /sys/fs/cgroup/pids /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
[ -e "$root/cgroup.procs" ] && "$1" "$root/$name" "$root"; done; }
enter() { mkdir -p "$1" && echo $$ >"$1/cgroup.procs"; }
leave() { echo $$ >"$2/cgroup.procs"; }
clear() { find "$1" -depth -type d -exec rmdir {} + 2>/dev/null; }
in_each enter
unshare --cgroup --mount --uts --ipc --pid --fork --propagation private --kill-child=KILL sh "$1/inside" "$1" "$2" &
machine=$!
in_each leave
trap 'kill -KILL $machine' TERM INT
wait $machine; wait $machine
for try in 1 2 3 4 5 6 7 8 9 10; do in_each clear; sleep 0.1; done
exit 0`;

const inside = `set -e
mount -t proc proc /proc
for place in /run /etc/systemd/system.control; do mkdir -p $place; mount -t tmpfs tmpfs $place; done
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
umount -l /sys/fs/cgroup; mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
mount -t tmpfs tmpfs /sys/fs/cgroup
for c in cpu cpuacct memory pids; do mkdir /sys/fs/cgroup/$c; mount -t cgroup -o $c cgroup /sys/fs/cgroup/$c; done
mkdir /sys/fs/cgroup/systemd /sys/fs/cgroup/unified
mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified
fi
mkdir -p /run/sshd
mount --bind "$1/machine-id" /etc/machine-id
exec env -i container=other "PATH=$PATH" "SYSTEMD_UNIT_PATH=$1/units:/run/systemd/transient:/run/systemd/system.control:/etc/systemd/system.control" "$2" --system --unit=machine.target --log-target=console --show-status=no
`;
