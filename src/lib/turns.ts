/**
 * Turns of the event loop for work that takes milliseconds. Of all such work in the process one slice runs in each turn of the
 * loop, so that what else has come is served between two of them, however many callers have brought some.
 */
const waiting: (() => void)[] = [];

function next(): void {
  const work = waiting.shift();
  if (waiting.length > 0) setImmediate(next);
  work?.();
}

/** Calls back when it is the turn of this one, in a later turn of the loop, in the order of the calls. */
export function inTurn(work: () => void): void {
  waiting.push(work);
  // The slice that runs now has left the list: a second one must not begin a chain of its own.
  if (waiting.length === 1) setImmediate(next);
}

export const turn = (): Promise<void> => new Promise(inTurn);
