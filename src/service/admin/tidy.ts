/** What every sweep does for the state directory: its reserve, its records, and the ids that it remembers. */
import type { Loaded } from '../../config/types.ts';
import type { Journal } from '../../journal/types.ts';
import type { Context } from '../../sandbox/context.ts';
import { giveUpReserve, keepReserve } from '../../store/reserve.ts';

export interface TidyDependencies {
  readonly context: Context;
  readonly journal: Journal;
  readonly loaded: Loaded;
}

export async function tidyHome({ context, journal, loaded }: TidyDependencies): Promise<void> {
  const { home, store } = context;
  // A service runs for long, and its disk may have become full since it began.
  giveUpReserve(home);
  await keepReserve(home);
  await journal.tidy();
  const expired = store.steadyNow() - loaded.config.exec.retention_seconds * 1000;
  await store.execs.expire(expired);
  await store.history.expire(expired);
}
