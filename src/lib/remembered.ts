/** Work that is done on first use, and whose result is kept. */

export interface Remembered<T> {
  /** The result that is kept or under way; otherwise the work begins. */
  (): Promise<T>;
  /** `null`: nothing is kept or under way. */
  readonly current: () => Promise<T> | null;
  /** The next call does the work again. */
  readonly forget: () => void;
}

/** A failure is not kept: one file that could not be opened must not fail all that comes after it. */
export function remembered<T>(work: () => Promise<T>): Remembered<T> {
  let kept: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    const begun = work();
    kept = begun;
    begun.catch(() => {
      if (kept === begun) kept = null;
    });
    return begun;
  };
  return Object.assign(() => kept ?? begin(), {
    current: () => kept,
    forget: () => {
      kept = null;
    },
  });
}
