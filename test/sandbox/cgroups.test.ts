/** The probe on trees of cgroups as kernels and engines lay them out, copied from what `find` and `cat` show there. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Effective, parseEffective } from '../../src/sandbox/effective.ts';
import { scriptOf } from '../../src/inside/script.ts';

interface Layout {
  /** /proc/self/cgroup */
  readonly own: string;
  /** Below /sys/fs/cgroup. */
  readonly files: Readonly<Record<string, string>>;
}

function limitsIn(shell: string, { own, files }: Layout): Effective['limits'] | undefined {
  const root = mkdtempSync(join(tmpdir(), 'caisson-cgroups-'));
  try {
    for (const [path, text] of Object.entries({ ...files, 'self-cgroup': own })) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `${text}\n`);
    }
    const script = scriptOf('probe')
      .replace('/proc/self/cgroup', join(root, 'self-cgroup'))
      .replace('/sys/fs/cgroup', root);
    const [program = 'sh', ...applet] = shell.split(' ');
    return parseEffective(spawnSync(program, [...applet, '-c', script], { encoding: 'latin1' }).stdout)?.limits;
  } finally {
    rmSync(root, { recursive: true });
  }
}

const gigabyte = 1024 ** 3;
const unlimited = '9223372036854771712';

const layouts: readonly (readonly [string, Layout, Effective['limits']])[] = [
  [
    'version 2 with a namespace of its own, as Docker 20.10 and Podman 3 and newer give it',
    {
      own: '0::/',
      files: {
        'cgroup.controllers': 'cpuset cpu io memory hugetlb pids rdma misc',
        'memory.max': String(gigabyte),
        'memory.swap.max': '0',
        'pids.max': '256',
        'cpu.max': '150000 100000',
      },
    },
    { memoryBytes: gigabyte, swapBytes: 0, pids: 256, cpuCores: 1.5, readable: true },
  ],
  [
    'version 2 without limits',
    {
      own: '0::/',
      files: { 'memory.max': 'max', 'memory.swap.max': 'max', 'pids.max': 'max', 'cpu.max': 'max 100000' },
    },
    { memoryBytes: null, swapBytes: null, pids: null, cpuCores: null, readable: true },
  ],
  [
    'version 2 in the namespace of the host, where a slice above is tighter',
    {
      own: '0::/user.slice/user-1000.slice/caisson.scope',
      files: {
        'user.slice/memory.max': 'max',
        'user.slice/user-1000.slice/memory.max': String(2 * gigabyte),
        'user.slice/user-1000.slice/pids.max': '9000',
        'user.slice/user-1000.slice/caisson.scope/memory.max': 'max',
        'user.slice/user-1000.slice/caisson.scope/pids.max': '64',
        'user.slice/user-1000.slice/caisson.scope/cpu.max': '25000 100000',
      },
    },
    { memoryBytes: 2 * gigabyte, swapBytes: null, pids: 64, cpuCores: 0.25, readable: true },
  ],
  [
    'version 1 in a container, whose own paths are not to be seen there',
    {
      own: '9:pids:/docker/ab12\n5:cpu,cpuacct:/docker/ab12\n4:memory:/docker/ab12\n1:name=systemd:/docker/ab12\n0::/',
      files: {
        'memory/memory.limit_in_bytes': String(gigabyte),
        'memory/memory.memsw.limit_in_bytes': String(gigabyte),
        'pids/pids.max': '256',
        'cpu/cpu.cfs_quota_us': '100000',
        'cpu/cpu.cfs_period_us': '100000',
      },
    },
    { memoryBytes: gigabyte, swapBytes: 0, pids: 256, cpuCores: 1, readable: true },
  ],
  [
    'version 1 without limits',
    {
      own: '4:memory:/\n9:pids:/',
      files: {
        'memory/memory.limit_in_bytes': unlimited,
        'memory/memory.memsw.limit_in_bytes': unlimited,
        'pids/pids.max': 'max',
        'cpu/cpu.cfs_quota_us': '-1',
        'cpu/cpu.cfs_period_us': '100000',
      },
    },
    { memoryBytes: null, swapBytes: null, pids: null, cpuCores: null, readable: true },
  ],
  [
    'no cgroups at all',
    { own: '0::/', files: {} },
    { memoryBytes: null, swapBytes: null, pids: null, cpuCores: null, readable: false },
  ],
];

describe.each(['dash', 'bash', 'busybox sh'])('the probe run by %s', (shell) => {
  it.each(layouts)('reads %s', (_name, layout, limits) => {
    expect(limitsIn(shell, layout)).toEqual(limits);
  });
});
