/**
 * Reads commands without the grammar: forgiving, linear, one pass. For texts that the grammar cannot take (broken, too
 * long, too deep), so that what is forbidden is still seen in them. It may see commands where there are none; a text
 * that gets here is asked for anyway.
 */
import type { Payload } from '../parts.ts';
import type { Session } from '../session.ts';
import { Scanner } from './scanner.ts';

/** Whether all of it was read: `false` when there are too many commands. */
export function readLight(payload: Payload, session: Session): boolean {
  const scanner = new Scanner(payload, session);
  const complete = scanner.read();
  if (!scanner.quoted) return complete;
  // A quote that is never closed hides nothing: what it might hold is read as commands too.
  const bare = { ...payload, text: payload.text.replace(/['"]/g, ' ') };
  return new Scanner(bare, session).read() && complete;
}
