import { describe, expect, test } from 'vitest';
import { type Architecture, seccompProfile, toArchitecture } from '../../../backends/shared/seccomp.ts';

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly args?: readonly { readonly index: number; readonly value: number }[];
}

function profileOf(architecture: Architecture): {
  readonly architectures: readonly string[];
  readonly syscalls: readonly Rule[];
} {
  return JSON.parse(seccompProfile(architecture));
}

describe('our seccomp profile', () => {
  test.each([
    ['x86_64', 'x86_64'],
    ['amd64', 'x86_64'],
    ['aarch64', 'aarch64'],
    ['arm64', 'aarch64'],
    ['armv7l', null],
    ['riscv64', null],
    ['s390x', null],
    ['', null],
    [null, null],
  ])('for what an engine calls %s is that of %s', (reported, architecture) => {
    expect(toArchitecture(reported)).toBe(architecture);
  });

  test.each([
    ['x86_64', 'SCMP_ARCH_X86_64', ['arch_prctl', 'modify_ldt'], ['sync_file_range2']],
    ['aarch64', 'SCMP_ARCH_AARCH64', ['sync_file_range2'], ['arch_prctl', 'modify_ldt']],
  ] as const)('of %s covers that architecture alone, with its own calls', (architecture, name, own, foreign) => {
    const { architectures, syscalls } = profileOf(architecture);
    expect(architectures).toEqual([name]);
    const free = syscalls.flatMap(({ names, action, args }) => (action === 'SCMP_ACT_ALLOW' && !args ? names : []));
    expect(free).toEqual(
      expect.arrayContaining([...own, 'openat', 'clock_nanosleep', 'epoll_pwait', 'ppoll', 'newfstatat']),
    );
    for (const each of [...foreign, 'socket', 'clone', 'clone3', 'personality', 'mount', 'io_uring_setup', 'bpf'])
      expect(free).not.toContain(each);
    expect(new Set(free).size).toBe(free.length);
  });

  test('allows clone without namespaces and without the parent of the caller as parent', () => {
    const [rule] = profileOf('x86_64').syscalls.filter(({ names }) => names.includes('clone'));
    expect(rule?.args).toEqual([{ index: 0, value: 0x7e028000, op: 'SCMP_CMP_MASKED_EQ' }]);
  });

  test('differs between architectures in nothing else', () => {
    const own = ['arch_prctl', 'modify_ldt', 'sync_file_range2'];
    const common = (architecture: Architecture): readonly Rule[] =>
      profileOf(architecture).syscalls.map((rule) => ({
        ...rule,
        names: rule.names.filter((each) => !own.includes(each)),
      }));
    expect(common('aarch64')).toEqual(common('x86_64'));
  });

  test('lets a file have any mode, or none with the setuid or setgid bit', () => {
    const rulesFor = (name: string, refuseSetid: boolean): readonly Rule[] => {
      const { syscalls }: { readonly syscalls: readonly Rule[] } = JSON.parse(
        seccompProfile('x86_64', { refuseSetid }),
      );
      return syscalls.filter(({ names }) => names.includes(name));
    };
    const allowed = (name: string, ...args: readonly number[]): boolean =>
      rulesFor(name, true).some(
        (rule) =>
          rule.action === 'SCMP_ACT_ALLOW' &&
          (rule.args ?? []).every(({ index, value }) => ((args[index] ?? 0) & value) === 0),
      );
    for (const [name, index] of [
      ['chmod', 1],
      ['fchmod', 1],
      ['creat', 1],
      ['mknod', 1],
      ['mknodat', 2],
      ['fchmodat', 2],
      ['fchmodat2', 2],
    ] as const) {
      const before = Array.from({ length: index }, () => -1);
      expect([0o755, 0o1777, 0o4755, 0o2755, 0o100_4755].map((mode) => allowed(name, ...before, mode))).toEqual([
        ...[true, true],
        ...[false, false, false],
      ]);
      expect(rulesFor(name, false)).toHaveLength(1);
    }
    const create = 0o101;
    const temporary = 0o20_200_001;
    expect([0, create, temporary].map((flags) => allowed('openat', 0, 0, flags, 0o4755))).toEqual([true, false, false]);
    expect([0, create, temporary].map((flags) => allowed('open', 0, flags, 0o2755))).toEqual([true, false, false]);
    expect(allowed('openat', 0, 0, create, 0o644)).toBe(true);
    expect(rulesFor('openat2', true)).toEqual([{ names: ['openat2'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 }]);
  });
});
