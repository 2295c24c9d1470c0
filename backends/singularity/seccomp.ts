/**
 * Our profile in the form that Apptainer takes. It knows no error number of a rule's own, and without a tracer the kernel
 * answers SECCOMP_RET_TRACE with ENOSYS (seccomp(2)), at which libc and Go do without clone3 and openat2. A traced process could pass
 * there; so tracing is forbidden.
 */
import { arch } from 'node:os';
import { z } from 'zod';
import { seccompProfile, toArchitecture } from '../shared/seccomp.ts';

const profileForm = z.looseObject({
  syscalls: z.array(z.looseObject({ names: z.array(z.string()), errnoRet: z.int().optional() })),
});
const nodeNames: Readonly<Record<string, string>> = { x64: 'x86_64', arm64: 'aarch64' };

/** `null` on an architecture that we have no list for. */
export function apptainerProfile(machine: string = arch(), refuseSetid = false): string | null {
  const architecture = toArchitecture(nodeNames[machine] ?? null);
  if (architecture === null) return null;
  const profile = profileForm.parse(JSON.parse(seccompProfile(architecture, { refuseSetid })));
  const syscalls = profile.syscalls.map((rule) =>
    rule.errnoRet === 38
      ? { names: rule.names, action: 'SCMP_ACT_TRACE' }
      : { ...rule, names: rule.names.filter((name) => name !== 'ptrace') },
  );
  return JSON.stringify({ ...profile, syscalls });
}
