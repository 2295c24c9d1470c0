/** The client of this page, and what it may do. */
import { type CaissonClient, connectCaisson } from 'caisson/client';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Login, TokenShown } from '../login/stored.ts';
import { save } from './save.ts';

export interface Live {
  readonly client: CaissonClient;
  /** A client of its own for what is left before it ends: closing it ends its connections, and nothing in a sandbox. */
  readonly connect: () => CaissonClient;
  readonly token: TokenShown;
  /** Makes the browser save what a path of the API answers. */
  readonly save: (path: string) => Promise<void>;
  readonly may: (scope: 'run' | 'read' | 'approve' | 'admin') => boolean;
}

const LiveContext = createContext<Live | null>(null);
export const LiveProvider = LiveContext.Provider;

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (live === null) throw new Error('this part stands outside of a login');
  return live;
}

/** `onLost`: called when a half of the login does not hold any more. */
export function liveOf({ key, token }: Login, onLost: () => void): Live {
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.status === 401) onLost();
    return answer;
  };
  const connect = (): CaissonClient =>
    connectCaisson({ url: location.origin, token: key, fetch: watched, resumeMs: 5000 });
  return {
    client: connect(),
    connect,
    token,
    save: async (path) => await save(key, path),
    may: (scope) => token.scopes.includes(scope),
  };
}
