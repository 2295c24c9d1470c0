/** Colours of states of sandboxes, in every list alike. */
import type { Paint } from './paint.ts';

export function stateColour(state: string): keyof Paint | null {
  if (state === 'ready') return 'green';
  if (state === 'stopped') return 'dim';
  return /^(?:creating|stopping|destroying)$/.test(state) ? 'yellow' : null;
}
