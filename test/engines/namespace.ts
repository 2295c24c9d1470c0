/**
 * A Docker daemon in network and mount namespaces of its own. A second daemon in the host's network namespace would
 * flush the firewall chains of the one that is there already, and fight over `docker0`; in its own it touches nothing,
 * and bridges, rules and mounts vanish with its last process however it ends. Process ids stay those of the host.
 *
 * A pair of virtual interfaces joins it to the host, so that a sandbox with an open network reaches the host's
 * addresses. It goes no further: tests must not need the internet.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface DaemonOptions {
  readonly arguments: readonly string[];
  /** Starts it again, in the same namespaces, whenever it ends by itself; ends it when asked to end. */
  readonly respawn: boolean;
  /** A file system image to mount on the data root first. `null`: the data root is a plain directory. */
  readonly disk: { readonly image: string; readonly directory: string } | null;
  /** File for what the daemon says. */
  readonly log: string;
}

/** Mounts, tells that the namespaces are there, waits for the link to the host, and becomes the daemon. */
const inside = `exec 2>"$CAISSON_LOG"
set -e
if [ -n "$CAISSON_DISK" ]; then mount -o loop "$CAISSON_DISK" "$CAISSON_DISK_DIRECTORY"; fi
ip link set lo up
echo ready
read -r link
[ -n "$CAISSON_RESPAWN" ] || exec dockerd "$@"
set +e
trap 'kill $pid; wait $pid; exit' TERM
while :; do dockerd "$@" & pid=$!; wait $pid; done`;

/** Resolves when the daemon has been started in its namespaces; it answers some time later. */
export async function startDaemon(options: DaemonOptions): Promise<ChildProcess> {
  const namespaces = ['--net', '--mount', '--propagation', 'slave'];
  const child = spawn('unshare', [...namespaces, 'sh', '-c', inside, 'dockerd', ...options.arguments], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      CAISSON_LOG: options.log,
      CAISSON_RESPAWN: options.respawn ? 'yes' : '',
      CAISSON_DISK: options.disk?.image ?? '',
      CAISSON_DISK_DIRECTORY: options.disk?.directory ?? '',
    },
  });
  const [first] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (!(first instanceof Buffer) || child.pid === undefined) throw new Error('its namespaces could not be made');
  child.stdout.resume();
  await joinToHost(child.pid);
  child.stdin.end('linked\n');
  return child;
}

/** 198.18.0.0/15 is set apart for tests between networks (RFC 2544), so that no real network is hidden by it. */
export async function joinToHost(pid: number, { name, host, peer }: Link = freeLink()): Promise<void> {
  await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]);
  await run('ip', ['address', 'add', `${host}/30`, 'dev', name]);
  await run('ip', ['link', 'set', name, 'up']);
  const inNetwork = ['-t', String(pid), '-n', 'ip'];
  await run('nsenter', [...inNetwork, 'address', 'add', `${peer}/30`, 'dev', 'eth0']);
  await run('nsenter', [...inNetwork, 'link', 'set', 'eth0', 'up']);
  await run('nsenter', [...inNetwork, 'route', 'add', 'default', 'via', host]);
}

/** A pair of interfaces: its name and address on this side, its address on the other. */
export interface Link {
  readonly name: string;
  readonly host: string;
  readonly peer: string;
}

/** Derived from our process id, which no other process of this machine has now; taken ones are stepped over. */
export function freeLink(): Link {
  const taken = new Set(
    Object.entries(networkInterfaces()).flatMap(([name, of = []]) => [name, ...of.map((each) => each.address)]),
  );
  for (let step = 0; step < 256; step++) {
    const number = (process.pid + step) % 16384;
    const base = `198.18.${Math.floor(number / 64)}.`;
    const link = {
      name: `caisson${number}`,
      host: `${base}${(number % 64) * 4 + 1}`,
      peer: `${base}${(number % 64) * 4 + 2}`,
    };
    if (!taken.has(link.name) && !taken.has(link.host)) return link;
  }
  throw new Error('no free address in 198.18.0.0/16 for the link to the host');
}
