/**
 * Whether a command goes through the service of its state directory, or opens the state directory itself. Read with every
 * command, so that nothing else is loaded where no service runs.
 */
import { resolve } from 'node:path';

import { findHome } from '../../lib/find-home.ts';
import { readServiceRecord } from '../../lib/service-record.ts';
import type { CommandApi, Env, Opening, ServiceLine } from '../world.ts';

/** `null`: no service runs, or the caller does not want it. Throws for a service that lives and cannot be used. */
export async function openService(opening: Opening): Promise<CommandApi | null> {
  const home = wanted(opening);
  return home === null ? null : await (await import('./open.ts')).openThrough(home, opening);
}

/** Opens a line to the service for a front end that speaks to it by itself. `null` and errors: see `openService`. */
export async function lineToService(opening: Opening): Promise<ServiceLine | null> {
  const home = wanted(opening);
  return home === null ? null : await (await import('./open.ts')).lineTo(home, opening);
}

/** The state directory, where a service has left its record there. */
function wanted({ embedded, env, cwd, home: named }: Opening): string | null {
  if (embedded === true || isEmbedded(env)) return null;
  const home = named === undefined ? findHome(env, cwd) : resolve(cwd, named);
  return readServiceRecord(home) === null ? null : home;
}

export const isEmbedded = ({ CAISSON_EMBEDDED: wanted = '' }: Env): boolean => /^(?:1|true|yes|on)$/i.test(wanted);
