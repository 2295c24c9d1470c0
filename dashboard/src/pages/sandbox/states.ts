/** Changes of state in words. Pure. */
import type { Change } from './past.ts';

const words = { ready: 'started', stopped: 'stopped', removed: 'removed' } as const;
const isWord = (to: unknown): to is keyof typeof words => typeof to === 'string' && Object.hasOwn(words, to);

/** `null`: a step on the way to the next state. */
export function stateText({ data: { from, to } }: Pick<Change, 'data'>): string | null {
  if (from === null) return 'created';
  return isWord(to) ? words[to] : null;
}
