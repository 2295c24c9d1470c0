/** All rows of the list, with what the chosen sort needs. */
import { useMemo } from 'preact/hooks';
import { useChanges, useCurrentFeed } from '../../live/changes.ts';
import { useLive } from '../../live/client.ts';
import { type Loaded, useLoaded } from '../../live/loaded.ts';
import { loadLists } from './load.ts';
import { isByUse, type Row, rowsOf, type Shown } from './rows.ts';

const everyMs = 10_000;
/** All sandboxes are read for it. */
const useMs = 20_000;

interface LoadedRows extends Pick<Loaded<unknown>, 'problem' | 'again'> {
  readonly all: readonly Row[];
}

export function useRows(shown: Shown, nowMs: number): LoadedRows {
  const { client } = useLive();
  const feed = useCurrentFeed();
  const { value, problem, again } = useLoaded((signal) => loadLists(client, signal), { key: 'sandboxes', everyMs });
  useChanges(feed, again);
  const byUse = isByUse(shown);
  const { value: uses } = useLoaded(async (signal) => (byUse ? await client.sandboxes.top({}, { signal }) : []), {
    key: `uses ${byUse}`,
    ...(byUse ? { everyMs: useMs } : {}),
  });
  const all = useMemo(() => {
    const { sandboxes = [], execs = [] } = value ?? {};
    return rowsOf({ sandboxes, execs, uses: uses ?? [] }, (task) => feed?.denials(task, nowMs) ?? 0);
  }, [value, uses, feed, nowMs]);
  return { all, problem, again };
}
