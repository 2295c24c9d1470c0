import type { Doors } from '../../src/egress/way-out.ts';

/** No sandbox of these tests has a filtered network. */
const unexpected = (): Promise<never> => Promise.reject(new Error('a door was asked for'));
export const noDoors: Doors = {
  open: unexpected,
  keep: unexpected,
  enter: unexpected,
  change: unexpected,
  close: unexpected,
  denied: unexpected,
  refresh: unexpected,
  left: () => Promise.resolve([]),
  release: () => undefined,
};
