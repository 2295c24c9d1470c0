/** Changes of state for the views: one feed for all of the page. */
import type { CaissonClient } from 'caisson/client';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { Feed } from './feed.ts';

/** Loads again when something changed. */
export function useChanges(feed: Feed | null, again: () => void): void {
  useEffect(() => feed?.listen(again), [feed, again]);
}

export function useFeed(client: CaissonClient, isOpen: boolean): Feed | null {
  const [feed, setFeed] = useState<Feed | null>(null);
  useEffect(() => {
    if (!isOpen) return;
    const made = new Feed(client.events);
    setFeed(made);
    return () => made.close();
  }, [client, isOpen]);
  return feed;
}

const FeedContext = createContext<Feed | null>(null);
export const FeedProvider = FeedContext.Provider;
export const useCurrentFeed = (): Feed | null => useContext(FeedContext);
