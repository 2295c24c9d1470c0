/** What is written for limits, in a tree of plain files: a kernel of version 2 is not on every machine. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Cgroup } from '../../../backends/singularity/cgroup.ts';
import type { Hierarchy } from '../../../backends/singularity/hierarchy.ts';

const limits = { cpuCores: 1.5, memoryBytes: 2 ** 28, diskBytes: 2 ** 30, pids: 40 };
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'caisson-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const unified = (): Hierarchy => ({ version: 2, at: { memory: root, pids: root, cpu: root } });
const separate = (): Hierarchy => ({
  version: 1,
  at: { memory: join(root, 'memory'), pids: join(root, 'pids'), cpu: join(root, 'cpu') },
});
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('a control group of version 2', () => {
  it('gets limits, and no swap', async () => {
    await new Cgroup(unified(), 'x').make(limits);
    expect(read('caisson/x/cpu.max')).toBe('150000 100000');
    expect(read('caisson/x/memory.max')).toBe(String(2 ** 28));
    expect(read('caisson/x/memory.swap.max')).toBe('0');
    expect(read('caisson/x/pids.max')).toBe('40');
  });

  it('is shown to its sandbox as the one that there is', () => {
    expect(new Cgroup(unified(), 'x').mounts).toEqual([{ source: join(root, 'caisson/x'), target: '/sys/fs/cgroup' }]);
  });

  it('tells what it uses, unknown as null', async () => {
    const cgroup = new Cgroup(unified(), 'x');
    await cgroup.make({ ...limits, memoryBytes: null });
    writeFileSync(join(root, 'caisson/x/cpu.stat'), 'usage_usec 2500\nuser_usec 1\n');
    writeFileSync(join(root, 'caisson/x/memory.current'), '4096\n');
    writeFileSync(join(root, 'caisson/x/memory.max'), 'max\n');
    writeFileSync(join(root, 'caisson/x/memory.events'), 'low 0\noom 3\noom_kill 2\n');
    expect(await cgroup.stats()).toEqual({
      cpuNanos: 2_500_000,
      memoryBytes: 4096,
      memoryLimitBytes: null,
      pids: null,
      pidsLimit: 40,
      networkReceivedBytes: null,
      networkSentBytes: null,
    });
    expect(cgroup.memoryKills()).toBe(2);
  });

  it('has no process that it has not, and places a process', async () => {
    const cgroup = new Cgroup(unified(), 'x');
    await cgroup.make(limits);
    await cgroup.place(77);
    expect(await cgroup.members()).toEqual(new Set([77]));
  });
});

describe('control groups of version 1', () => {
  it('get limits, with swap where it is counted', async () => {
    mkdirSync(join(root, 'memory/caisson/x'), { recursive: true });
    writeFileSync(join(root, 'memory/caisson/x/memory.memsw.limit_in_bytes'), '');
    await new Cgroup(separate(), 'x').make(limits);
    expect(read('memory/caisson/x/memory.limit_in_bytes')).toBe(String(2 ** 28));
    expect(read('memory/caisson/x/memory.memsw.limit_in_bytes')).toBe(String(2 ** 28));
    expect(read('cpu/caisson/x/cpu.cfs_quota_us')).toBe('150000');
    expect(read('pids/caisson/x/pids.max')).toBe('40');
  });

  it('are set not to swap where it is not counted', async () => {
    await new Cgroup(separate(), 'x').make(limits);
    expect(read('memory/caisson/x/memory.swappiness')).toBe('0');
  });

  it('have a member only when it is in all of them', async () => {
    const cgroup = new Cgroup(separate(), 'x');
    await cgroup.make(limits);
    await cgroup.place(77);
    writeFileSync(join(root, 'pids/caisson/x/cgroup.procs'), '');
    expect(await cgroup.members()).toEqual(new Set());
  });
});
