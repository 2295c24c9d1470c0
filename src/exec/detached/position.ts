/**
 * The `seq` of a detached process's events: where its reader stands in both streams, so that any number that was given out
 * leads back to exactly that place, also after restarts, and nothing has to be remembered. It grows, with holes.
 *
 *   (stdout * 2^25 + stderr) * 2 + 1    bytes up to there are delivered; 1 is the start
 *   ... + 1                             the exit is delivered too
 */
export interface Position {
  readonly stdout: number;
  readonly stderr: number;
  readonly over: boolean;
}

const span = 2 ** 25;

/** `null`: nothing was delivered yet. */
export function positionAt(seq: number): Position | null {
  if (!Number.isSafeInteger(seq) || seq < 1) return null;
  const over = seq % 2 === 0;
  const offsets = Math.floor((seq - 1) / 2);
  return { stdout: Math.floor(offsets / span), stderr: offsets % span, over };
}

export function seqOf({ stdout, stderr, over }: Position): number {
  return (stdout * span + stderr) * 2 + (over ? 2 : 1);
}
