/** What the kernel says of a container, in both versions of control groups. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { kernelStats } from '../../../../backends/docker/container/kernel-stats.ts';

const container = 'a'.repeat(64);

function host(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'caisson-kernel-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

const network = `Inter-|   Receive                            |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     999       9    0    0    0     0          0         0      999       9    0    0    0     0       0          0
  eth0:    1200      10    0    0    0     0          0         0      340       4    0    0    0     0       0          0
`;

const unified = (path: string) => ({
  '/proc/77/cgroup': `0::${path}\n`,
  '/proc/77/net/dev': network,
  '/sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
  [`/sys/fs/cgroup${path}/memory.current`]: '52428800\n',
  [`/sys/fs/cgroup${path}/memory.stat`]: 'anon 1\ninactive_file 2428800\nactive_file 5\n',
  [`/sys/fs/cgroup${path}/memory.max`]: '536870912\n',
  [`/sys/fs/cgroup${path}/pids.current`]: '7\n',
  [`/sys/fs/cgroup${path}/pids.max`]: 'max\n',
  [`/sys/fs/cgroup${path}/cpu.stat`]: 'usage_usec 1500000\nuser_usec 1\n',
});

it('is read from one control group in version 2', () => {
  const root = host(unified(`/system.slice/docker-${container}.scope`));
  expect(kernelStats({ pid: 77, container, root })).toEqual({
    cpuNanos: 1.5e9,
    memoryBytes: 50_000_000,
    memoryLimitBytes: 536_870_912,
    pids: 7,
    pidsLimit: null,
    networkReceivedBytes: 1200,
    networkSentBytes: 340,
  });
});

it('is read from one control group a controller in version 1', () => {
  const at = (name: string) => `/sys/fs/cgroup/${name}/docker/${container}`;
  const root = host({
    '/proc/77/cgroup': `9:memory:/docker/${container}\n4:cpu,cpuacct:/docker/${container}\n3:pids:/docker/${container}\n0::/\n`,
    [`${at('memory')}/memory.usage_in_bytes`]: '1000\n',
    [`${at('memory')}/memory.stat`]: 'inactive_file 1\ntotal_inactive_file 400\n',
    [`${at('memory')}/memory.limit_in_bytes`]: '9223372036854771712\n',
    [`${at('cpuacct')}/cpuacct.usage`]: '123456789\n',
    [`${at('pids')}/pids.current`]: '3\n',
    [`${at('pids')}/pids.max`]: '256\n',
  });
  expect(kernelStats({ pid: 77, container, root })).toEqual({
    cpuNanos: 123_456_789,
    memoryBytes: 600,
    memoryLimitBytes: null,
    pids: 3,
    pidsLimit: 256,
    networkReceivedBytes: null,
    networkSentBytes: null,
  });
});

it.each([
  ['a process that has ended', {}],
  ['the number of another process', unified('/user.slice/session-1.scope')],
  ['a group above the namespace of this process', unified(`/../../docker-${container}.scope`)],
  [
    'a group that is gone',
    { '/proc/77/cgroup': `0::/docker-${container}.scope\n`, '/sys/fs/cgroup/cgroup.controllers': '' },
  ],
])('has no figures for %s', (_what, files) => {
  expect(kernelStats({ pid: 77, container, root: host(files) })).toBeNull();
});
