/** What a view has loaded, again at an interval while the page is seen, and at once when it is asked for. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<T> {
  /** The last that came, also while a later try fails. */
  readonly value: T | null;
  readonly problem: string | null;
  readonly again: () => void;
}

interface How {
  readonly everyMs?: number;
  /** Also while the page is not seen. */
  readonly isHiddenToo?: boolean;
  /** What it depends on: another text begins anew. */
  readonly key: string;
}

export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs, key, isHiddenToo = false }: How,
): Loaded<T> {
  const [state, setState] = useState<{ readonly value: T | null; readonly problem: string | null }>(nothing);
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => setState(nothing), [key]);
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The first look is asked for, by a person or a change.
    const next = async (isAsked: boolean): Promise<void> => {
      if (isAsked || isHiddenToo || !document.hidden) await look();
      if (!leaving.signal.aborted && everyMs !== undefined) timer = setTimeout(() => void next(false), everyMs);
    };
    const look = async (): Promise<void> => {
      try {
        const value = await latest.current(leaving.signal);
        if (!leaving.signal.aborted) setState({ value, problem: null });
      } catch (error) {
        if (!leaving.signal.aborted) setState(({ value }) => ({ value, problem: problemText(error) }));
      }
    };
    void next(true);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key, turn, everyMs, isHiddenToo]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  return { ...state, again };
}

const nothing = { value: null, problem: null } as const;

export const problemText = (error: unknown): string => (error instanceof Error ? error.message : 'It failed.');
