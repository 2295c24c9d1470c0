/**
 * Whether a command goes through the service of its state directory, or opens the state directory itself. Read with every
 * command, so that nothing else is loaded where there is no service.
 */
import { resolve } from 'node:path';

import { findHome } from '../../lib/find-home.ts';
import { readServiceRecord } from '../../lib/service-record.ts';
import type { CommandApi, Env, Opening } from '../world.ts';

/** `null`: there is no service, or the caller does not want it. Throws for one that lives and cannot be used. */
export async function openService(opening: Opening): Promise<CommandApi | null> {
  if (opening.embedded === true || isEmbedded(opening.env)) return null;
  const home = opening.home === undefined ? findHome(opening.env, opening.cwd) : resolve(opening.cwd, opening.home);
  if (readServiceRecord(home) === null) return null;
  const { openThrough } = await import('./open.ts');
  return await openThrough(home, opening);
}

export const isEmbedded = ({ CAISSON_EMBEDDED: wanted = '' }: Env): boolean => /^(?:1|true|yes|on)$/i.test(wanted);
