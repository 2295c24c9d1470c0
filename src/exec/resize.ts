export type Resize = (columns: number, rows: number) => Promise<void>;

/**
 * Sets the sizes of one terminal one after the other: a place may carry out two requests that are on their way at once in either
 * order, and the size before would stay. While one is on its way, only the latest waits.
 */
export function inTurn(resize: Resize): Resize {
  let last: Promise<void> = Promise.resolve();
  let waiting: { size: readonly [number, number]; readonly done: Promise<void> } | null = null;
  return (columns, rows) => {
    if (waiting !== null) {
      waiting.size = [columns, rows];
      return waiting.done;
    }
    const done = last.then(async () => {
      const [width, height] = waiting?.size ?? [columns, rows];
      waiting = null;
      await resize(width, height);
    });
    waiting = { size: [columns, rows], done };
    last = done.catch(() => undefined);
    return done;
  };
}
