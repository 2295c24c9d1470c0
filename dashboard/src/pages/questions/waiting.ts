/** Questions that wait, as far as the token sees them, and a notification of the browser for new ones. */
import type { CaissonClient } from 'caisson/client';
import { useEffect, useRef } from 'preact/hooks';
import { useLive } from '../../live/client.ts';
import { useChanges } from '../../live/changes.ts';
import type { Feed } from '../../live/feed.ts';
import { useLoaded } from '../../live/loaded.ts';

export type Question = Awaited<ReturnType<CaissonClient['approvals']['list']>>[number];

export interface Questions {
  readonly items: readonly Question[];
  readonly problem: string | null;
  readonly again: () => void;
}

const everyMs = 5000;

export function useQuestions(feed: Feed | null): Questions {
  const { client, may } = useLive();
  const isAsked = may('approve');
  const load = async (signal: AbortSignal): Promise<readonly Question[]> =>
    isAsked ? waiting(await client.approvals.list({ signal })) : [];
  // Without the stream of events, a question is seen by looking alone, also for the title and the notification.
  const { value, problem, again } = useLoaded(load, { key: 'questions', everyMs, isHiddenToo: feed === null });
  useChanges(feed, again);
  const items = value ?? [];
  useNotified(items);
  return { items, problem, again };
}

/** The first asked stays first, so that what is being read does not move. */
const waiting = (all: readonly Question[]): readonly Question[] =>
  all.filter(({ state }) => state === 'pending').toSorted((one, other) => one.askedAt.localeCompare(other.askedAt));

/** Says that there is a question, and not what it says: the text is of a third party. */
function useNotified(items: readonly Question[]): void {
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    const isNew = items.some(({ id }) => known.current?.has(id) === false);
    known.current = new Set(items.map(({ id }) => id));
    if (!isNew || !document.hidden || !('Notification' in globalThis) || Notification.permission !== 'granted') return;
    const note = new Notification('Caisson', { body: 'A command waits for an answer.', tag: 'caisson-question' });
    note.addEventListener('click', () => {
      focus();
      location.hash = '#/questions';
    });
  }, [items]);
}
