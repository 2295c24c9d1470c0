import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEffective } from '../../src/sandbox/effective.ts';
import { scriptOf } from '../../src/inside/script.ts';

const sample = `== caisson probe
uid=0
== status
Name:\tcat
CapInh:\t0000000000000000
CapPrm:\t000000000000000b
CapEff:\t000000000000000b
CapBnd:\t000000000000000b
CapAmb:\t0000000000000000
NoNewPrivs:\t1
Seccomp:\t2
== limits
Limit                     Soft Limit           Hard Limit           Units
Max core file size        0                    0                    bytes
Max open files            4096                 8192                 files
== mounts
600 500 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/x
601 600 0:51 / /proc rw,nosuid - proc proc rw
602 600 0:52 / /tmp rw,nosuid,nodev - tmpfs tmpfs rw,size=524288k
603 600 8:1 /srv/a /workspace rw,relatime - ext4 /dev/vda rw
604 600 8:1 /srv/b /root/.caisson ro,relatime - ext4 /dev/vda rw
== network
Inter-|   Receive
 face |bytes
    lo: 0 0
  eth0: 1 2
== routes
Iface	Destination	Gateway
lo	0000007F	00000000
== routes6
00 00 00 00 00 lo
== cgroup
memory=268435456
memsw=268435456
pids=256
cpu=150000 100000
== end
`;

describe('what a probe measured', () => {
  it('takes the tightest of the limits on the way up from its own cgroup', () => {
    const above =
      'memory=1048576\nmemsw=2097152\npids=max\ncpu=-1 100000\nmemory=9223372036854771712\npids=64\ncpu=25000 100000\n';
    expect(parseEffective(sample.replace('== end', `${above}== end`))?.limits).toEqual({
      memoryBytes: 1048576,
      swapBytes: 1048576,
      pids: 64,
      cpuCores: 0.25,
      readable: true,
    });
  });

  it('is parsed whole', () => {
    expect(parseEffective(sample)).toMatchObject({
      uid: 0,
      capabilities: { bounding: '000000000000000b', effective: '000000000000000b', ambient: '0000000000000000' },
      noNewPrivileges: true,
      seccomp: 'filter',
      limits: { memoryBytes: 268435456, swapBytes: 0, pids: 256, cpuCores: 1.5, readable: true },
      openFiles: '4096:8192',
      coreBytes: '0:0',
      readOnlyRoot: false,
      interfaces: ['eth0'],
      mounts: [
        { target: '/tmp', type: 'tmpfs', options: ['rw', 'nosuid', 'nodev', 'size=524288k'] },
        { target: '/workspace', options: ['rw', 'relatime'] },
        { target: '/root/.caisson', options: ['ro', 'relatime'] },
      ],
    });
  });

  it('reads cgroup v2, and "max" as no limit', () => {
    const text = sample.replace(/memory=[^]*cpu=150000 100000/, 'memory=max\nswap=0\npids=64\ncpu=200000 100000');
    expect(parseEffective(text)?.limits).toEqual({
      memoryBytes: null,
      swapBytes: 0,
      pids: 64,
      cpuCores: 2,
      readable: true,
    });
  });

  it('reads the number that cgroup v1 shows without a limit as none', () => {
    const text = sample.replace('memory=268435456', 'memory=9223372036854771712').replace('cpu=150000', 'cpu=-1');
    expect(parseEffective(text)?.limits).toMatchObject({ memoryBytes: null, cpuCores: null });
  });

  it('tells that no limits could be read, instead of none being set', () => {
    expect(parseEffective(sample.replace(/memory=[^]*cpu=150000 100000\n/, ''))?.limits.readable).toBe(false);
  });

  it('is nothing when it was cut off', () => {
    for (let end = 0; end < sample.length - 1; end += 7) expect(parseEffective(sample.slice(0, end))).toBeNull();
  });

  it('never throws and never grows on hostile text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.constantFrom('== status\n', '== end\n', '== caisson probe\n', 'CapEff:\t', ' - ', 'memory='),
          ),
          { maxLength: 40 },
        ),
        (parts) => {
          const parsed = parseEffective(parts.join(''));
          expect((parsed?.mounts.length ?? 0) <= 64).toBe(true);
        },
      ),
    );
    const flood = sample.replace('== network', `${'605 600 8:1 / /x rw - ext4 d rw\n'.repeat(5_000)}== network`);
    expect(parseEffective(flood)?.mounts.length ?? 0).toBeLessThanOrEqual(64);
  });

  it('can be taken on this host', () => {
    const parsed = parseEffective(execFileSync('sh', ['-c', scriptOf('probe')], { encoding: 'latin1' }));
    expect(parsed?.uid).toBe(process.getuid?.());
    expect(parsed?.capabilities.bounding).toMatch(/^[0-9a-f]{16}$/);
  });
});
