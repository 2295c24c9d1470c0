/** What our seccomp profile refuses and allows, tried from within. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../../src/backend.ts';
import { dockerHost } from '../../../engines/docker.ts';
import { debian, Place, run, sh } from '../place.ts';

const host = dockerHost();

describe.skipIf(host === null)('our seccomp profile', () => {
  const place = new Place(host ?? 'unix:///nowhere');
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await place.create({ image: debian });
  });
  afterAll(() => place.close());

  /** perl is essential in Debian, and its syscall() needs no compiler. */
  const call = async (expression: string): Promise<string> =>
    (await run(sandbox, ['perl', '-e', `use Errno; my $r = ${expression}; print $r < 0 ? 0 + $! : "allowed"`])).stdout;

  test.skipIf(process.arch !== 'x64').each([
    ['AF_ALG sockets (CH-09)', 'syscall(41, 38, 5, 0)'],
    ['AF_VSOCK sockets', 'syscall(41, 40, 1, 0)'],
    ['AF_ALG behind a high bit', 'syscall(41, 0x100000026, 5, 0)'],
    ['unshare of a user namespace', 'syscall(272, 0x10000000)'],
    ['clone with a user namespace', 'syscall(56, 0x10000011, 0, 0, 0, 0)'],
    ['clone with the parent of the caller as its parent', 'syscall(56, 0x8011, 0, 0, 0, 0)'],
    ['mount', 'syscall(165, 0, 0, 0, 0, 0)'],
    ['keyctl', 'syscall(250, 0, 0, 0)'],
    ['bpf', 'syscall(321, 0, 0, 0)'],
    ['perf_event_open', 'syscall(298, 0, 0, 0, 0, 0)'],
    ['io_uring_setup', 'syscall(425, 1, 0)'],
    ['userfaultfd', 'syscall(323, 0)'],
    ['setns', 'syscall(308, 0, 0)'],
  ])('refuses %s (CH-10)', async (_what, expression) => {
    expect(await call(expression)).toBe('1');
  });

  test.skipIf(process.arch !== 'x64')('says that clone3 is not there, so that libc takes clone', async () => {
    expect(await call('syscall(435, 0, 0)')).toBe('38');
  });

  test.skipIf(process.arch !== 'x64').each([
    ['TCP sockets', 'syscall(41, 2, 1, 0)'],
    ['IPv6 sockets', 'syscall(41, 10, 2, 0)'],
    ['unix sockets', 'syscall(41, 1, 1, 0)'],
    ['netlink sockets', 'syscall(41, 16, 3, 0)'],
  ])('allows %s', async (_what, expression) => {
    expect(await call(expression)).toBe('allowed');
  });

  test('makes no block devices (CH-10)', async () => {
    expect((await sh(sandbox, 'mknod /tmp/x b 8 0')).exitCode).not.toBe(0);
  });

  test('lets threads, pipes, forks and package tools work', async () => {
    const script =
      'set -e; echo a | cat; perl -e "fork and wait"; dpkg --version >/dev/null; apt-get --version >/dev/null; tar -cf - /etc/hostname 2>/dev/null | tar -tf - >/dev/null; echo fine';
    expect(await sh(sandbox, script)).toMatchObject({ exitCode: 0, stdout: 'a\nfine\n' });
  });
});
