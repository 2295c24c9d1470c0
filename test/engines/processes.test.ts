import { expect, it } from 'vitest';
import { processesOf } from './processes.ts';

const runtime = '/tmp/cse-abc';

it('finds daemons, shims and the containers below them, and nothing else', () => {
  const seen = [
    { pid: 10, parent: 1, program: 'dockerd', command: `dockerd --exec-root ${runtime}/exec` },
    { pid: 11, parent: 10, program: 'containerd', command: `containerd --config ${runtime}/exec/containerd.toml` },
    {
      pid: 12,
      parent: 1,
      program: 'containerd-shim-runc-v2',
      command: `containerd-shim -address ${runtime}/exec/c.sock`,
    },
    { pid: 13, parent: 12, program: 'sleep', command: 'sleep 1000' },
    { pid: 20, parent: 1, program: 'dockerd', command: 'dockerd --exec-root /tmp/cse-other/exec' },
    { pid: 21, parent: 1, program: 'less', command: `less ${runtime}/dockerd.log` },
    { pid: 22, parent: 10, program: 'docker-proxy', command: 'docker-proxy' },
  ];
  expect(processesOf(runtime, seen)).toEqual([10, 11, 12, 13]);
});
