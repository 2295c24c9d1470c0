import { GivenLists } from '../../src/egress/place-list.ts';
import { type Doors, WaysOut } from '../../src/egress/ways.ts';
import type { Context } from '../../src/sandbox/context.ts';

/** No sandbox of these tests has a filtered network. */
const unexpected = (): Promise<never> => Promise.reject(new Error('a way out was asked for'));
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

const filters = { list: unexpected, isCurrent: unexpected, check: unexpected };

export const noWayOut = (backend: Context['backend'], doors: Partial<Doors> = {}): WaysOut =>
  new WaysOut({ ...noDoors, ...doors }, new GivenLists({ backend, filters }));
