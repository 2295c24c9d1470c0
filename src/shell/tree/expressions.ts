/** Conditional and arithmetic expressions, also as the simple commands that they are for some shells. */
import { runsIndex } from '../effects.ts';
import { readLight } from '../light.ts';
import { copyOf, type Payload } from '../parts.ts';
import { Session } from '../session.ts';
import { readBuiltin } from './builtins.ts';
import type { Reading } from './reading.ts';

export function readTest(reading: Reading, node: number): void {
  asSimple(reading, node);
  for (let below = node + 1; below < (reading.tree.last[node] ?? 0); below += 1)
    if (/string|word|concatenation/.test(reading.kind(below)) && runsIndex(reading.words([below])[0]?.text ?? ''))
      reading.session.noteIndex(reading.span(below));
  readBuiltin(reading, node);
}

export function readArithmetic(reading: Reading, node: number): void {
  reading.session.features.add('expansion');
  asSimple(reading, node);
}

function asSimple(reading: Reading, node: number): void {
  const around = { ...reading.around, scope: copyOf(reading.around.scope) };
  const payload = { ...reading.payload, text: reading.source(node), span: reading.span(node), around };
  readSimple(payload, reading.session);
}

/**
 * `[ a || b ]` ends at the operator in every shell; `[[ a || b ]]` and `((a || b))` do in those that know neither. Which
 * one it is that runs the text is not known, so what only these run is asked about, and refused by no hardline rule.
 */
function readSimple(payload: Payload, session: Session): void {
  if (!holdsOperators(payload.text)) return;
  if (/^\[(?!\[)/.test(payload.text)) {
    readLight(payload, session);
    return;
  }
  const other = new Session({ time: session.time });
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
