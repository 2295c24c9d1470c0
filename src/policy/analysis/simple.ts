/** Tests and arithmetic, as the simple commands that they are for some shells. */
import { readLight } from './light/read.ts';
import type { Payload } from './parts.ts';
import { Session } from './session.ts';

/**
 * `[ a || b ]` ends at the operator in every shell; `[[ a || b ]]` and `((a || b))` do in those that know neither. Which
 * one it is that runs the text is not known, so what only these run is asked about, and refused by no hardline rule.
 */
export function readSimple(payload: Payload, session: Session): void {
  if (!holdsOperators(payload.text)) return;
  if (/^\[(?!\[)/.test(payload.text)) {
    readLight(payload, session);
    return;
  }
  const other = new Session();
  readLight(payload, other);
  session.adopt(other);
}

const quotes = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g;

/** A bracket behind a word, which shells that know no `[[` and no `((` do not take: they run nothing of such a text. */
const opensWithin = /[^\s|&;(!<>$]\s*\(/;

/** Whether a test or arithmetic holds what is an operator of the shell where these are simple commands. */
function holdsOperators(source: string): boolean {
  if (source.startsWith('$((')) return false;
  const bare = source.replace(quotes, '');
  if (opensWithin.test(bare)) return false;
  return source.startsWith('((') || /[|&;<>()]/.test(bare);
}
