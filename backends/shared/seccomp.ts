/**
 * Our seccomp profile: the engine's default list as it applies to the capabilities we grant, for one architecture.
 * One architecture is stricter (no 32 bit or x32 way in) and, since the runtime compiles the filter for every exec,
 * also faster. README.md says where the list comes from and what differs.
 */
import list from './seccomp.json' with { type: 'json' };

export type Architecture = keyof typeof list.architectures;

const aliases: Readonly<Record<string, Architecture>> = {
  x86_64: 'x86_64',
  amd64: 'x86_64',
  aarch64: 'aarch64',
  arm64: 'aarch64',
};

/** `null` for an architecture that we have no list for. */
export function toArchitecture(name: string | null): Architecture | null {
  return (name !== null && aliases[name]) || null;
}

/** As the engine takes it in `SecurityOpt`. */
export function seccompProfile(architecture: Architecture): string {
  const { name, names } = list.architectures[architecture];
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    architectures: [name],
    syscalls: [
      { names: [...list.names, ...names], action: 'SCMP_ACT_ALLOW' },
      // Families are listed one by one: a comparison looks at 64 bits, of which the kernel then takes 32, so that
      // "all but AF_ALG and AF_VSOCK" could be got round by setting a high bit.
      ...list.socketFamilies.map((family) => allowWhen('socket', { value: family, op: 'SCMP_CMP_EQ' })),
      ...list.personalities.map((personality) => allowWhen('personality', { value: personality, op: 'SCMP_CMP_EQ' })),
      allowWhen('clone', { value: list.refusedCloneFlags, op: 'SCMP_CMP_MASKED_EQ' }),
      // Its flags are behind a pointer, where no filter can look; libc falls back to clone at ENOSYS.
      { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
    ],
  });
}

function allowWhen(name: string, condition: { readonly value: number; readonly op: string }) {
  return { names: [name], action: 'SCMP_ACT_ALLOW', args: [{ index: 0, ...condition }] };
}
