/** Backends with one defect each, which the suite must find. */
import { commandDefects } from './commands.ts';
import type { Defect } from './defect.ts';
import { placeDefects } from './places.ts';
import { processDefects } from './processes.ts';

export const defects: readonly Defect[] = [...commandDefects, ...processDefects, ...placeDefects];

/** Cases that no such backend can fail, and why. */
export const beyondDefects: Readonly<Record<string, string>> = {
  'leftovers.zombies': 'only the runtime itself could leave one: it waits for every child, whatever a backend does',
};
