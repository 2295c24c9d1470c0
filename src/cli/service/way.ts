/**
 * Whether a command goes through the service of its state directory, or opens the state directory itself. Read with every
 * command, so that nothing else is loaded where there is no service.
 */
import { resolve } from 'node:path';

import { findHome } from '../../lib/find-home.ts';
import { readServiceRecord } from '../../lib/service-record.ts';
import type { CommandApi, Env, Opening, ServiceLine } from '../world.ts';

/** `null`: there is no service, or the caller does not want it. Throws for one that lives and cannot be used. */
export async function openService(opening: Opening): Promise<CommandApi | null> {
  const home = wanted(opening);
  return home === null ? null : await (await import('./open.ts')).openThrough(home, opening);
}

/** The same, for what speaks to the service by itself. */
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
