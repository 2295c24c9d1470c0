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

/** `refuseSetid`: no call gives a file the setuid or setgid bit. */
interface Stricter {
  readonly refuseSetid?: boolean;
}

/** The profile as text for the engine's `SecurityOpt`. */
export function seccompProfile(architecture: Architecture, { refuseSetid = false }: Stricter = {}): string {
  const { name, names } = list.architectures[architecture];
  const free = [...list.names, ...names].filter((each) => !refuseSetid || !modeCalls.has(each));
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    architectures: [name],
    syscalls: [
      { names: free, action: 'SCMP_ACT_ALLOW' },
      ...(refuseSetid ? setidRules : []),
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

/** The index of the argument that has the mode, for calls that always give one to a file. */
const modeArguments: Readonly<Record<string, number>> = {
  chmod: 1,
  fchmod: 1,
  creat: 1,
  mknod: 1,
  fchmodat: 2,
  fchmodat2: 2,
  open: 2,
  mknodat: 2,
  openat: 3,
};

/** The index of the argument that has the flags, for calls that have a mode only when they create a file. */
const flagArguments: Readonly<Record<string, number>> = { open: 1, openat: 2 };

/** `openat2` has both behind a pointer, where no filter can look. */
const modeCalls: ReadonlySet<string> = new Set([...Object.keys(modeArguments), 'openat2']);

const setidBits = 0o6000;
/** O_CREAT and __O_TMPFILE of open(2). */
const creatingFlags = 0o20_000_100;

/** Without the flags the mode is whatever the register holds, and has no effect. */
const setidRules = [
  ...Object.entries(modeArguments).map(([name, index]) => allowWithout(name, index, setidBits)),
  ...Object.entries(flagArguments).map(([name, index]) => allowWithout(name, index, creatingFlags)),
  { names: ['openat2'], action: 'SCMP_ACT_ERRNO', errnoRet: 38 },
];

function allowWithout(name: string, index: number, bits: number) {
  return { names: [name], action: 'SCMP_ACT_ALLOW', args: [{ index, value: bits, op: 'SCMP_CMP_MASKED_EQ' }] };
}
