import type { Exit } from '../../src/values/exit.ts';
import { exitOf } from '../../src/values/outcome.ts';

export function exitAfter(bytes: { readonly stdout: number; readonly stderr: number }): Exit {
  return exitOf({
    forced: null,
    end: { exitCode: 3, signal: null, outOfMemory: false },
    durationMs: 12.5,
    stdout: { complete: true, bytes: bytes.stdout, truncated: false },
    stderr: { complete: true, bytes: bytes.stderr, truncated: false },
    backgroundOpen: false,
    survivors: [{ pid: 1, command: 'x' }],
    notes: ['a note'],
  });
}
