/** Errors of the system that pass, or that an operator cures, and that say nothing about the file they came with. */
import { CaissonError } from '../errors.ts';

const openFiles = 'raise the limit of open files of this process (LimitNOFILE of its unit, or ulimit -n)';

const remedies: Readonly<Record<string, string>> = {
  EMFILE: openFiles,
  ENFILE: 'raise the limit of open files of this host (sysctl fs.file-max)',
  ENOMEM: 'give this host, or the cgroup of this process, more memory',
  // Node says this about a package.json that it could not open.
  ERR_INVALID_PACKAGE_CONFIG: openFiles,
  EIO: 'look for errors of the disk in the log of the kernel (dmesg)',
};

/** `null`: another kind of error. */
export function shortageError(error: unknown, message: string): CaissonError | null {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy = remedies[code];
  return remedy === undefined
    ? null
    : new CaissonError('unavailable', `${message}: ${code}`, { cause: error, remedy, details: { reason: code } });
}
