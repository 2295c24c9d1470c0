/** Whether processes of one user may write each other's memory (Yama, kernel.yama.ptrace_scope). */
import { readFileSync } from 'node:fs';
import type { Finding } from '../../src/backend.ts';

const file = '/proc/sys/kernel/yama/ptrace_scope';

/** `scope`: the text of the kernel's file; `null` where there is no such file. */
export function ptraceFindings(scope: string | null = readScope()): readonly Finding[] {
  if (scope !== null && Number(scope) > 0) return [];
  return [
    {
      severity: 'warning',
      id: 'ptrace-scope',
      message:
        'a process of a sandbox can write the memory of other processes there, also of the shells of Caisson that run later commands: commands with secrets start more slowly, past these shells',
      remedy:
        scope === null
          ? 'use a kernel with Yama, and set sysctl kernel.yama.ptrace_scope=1'
          : 'sysctl kernel.yama.ptrace_scope=1',
    },
  ];
}

function readScope(): string | null {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return null;
  }
}
