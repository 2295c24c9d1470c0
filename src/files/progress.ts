/** Progress of a copy in bytes of content, reported at most ten times a second and once at the end. */
import type { Progress } from '../backend.ts';

const intervalMs = 100;

export interface Meter {
  readonly add: (bytes: number) => void;
  /** Tells the last figure. */
  readonly end: () => void;
}

export function meter(
  what: string,
  total: number | null,
  onProgress: ((progress: Progress) => void) | undefined,
): Meter {
  let done = 0;
  let reportedAt = -Infinity;
  const tell = (): void => onProgress?.({ what, done, total });
  return {
    add(bytes) {
      done += bytes;
      const now = performance.now();
      if (now - reportedAt < intervalMs) return;
      reportedAt = now;
      tell();
    },
    end: tell,
  };
}
