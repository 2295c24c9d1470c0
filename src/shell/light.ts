/**
 * Reads commands without the grammar: cuts a text at everything that can end a command. For texts that the grammar cannot take
 * (broken, too long, too deep), so that what is forbidden is still seen in them. It may take other text for commands; a text
 * that gets here is asked for anyway.
 */
import { keepValue, type Payload } from './parts.ts';
import type { Session } from './session.ts';
import type { Redirect, Stage, Word } from './types.ts';
import { resolveValue, resolveWord } from './words.ts';

/** Beyond these a text counts as not read. Pieces that repeat cost next to nothing. */
const maxPieces = 250_000;
const maxDistinct = 25_000;
/** Words of the shell that may stand before a command. */
const reserved = /^(?:if|then|else|elif|fi|do|done|while|until|[!{}]|case|esac|function|select|for|in)$/;
const assigns = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
/** Characters of a word in which that is looked for. */
const maxNameUnits = 128;
const piecesOf = /(?:\\[^]|[<>]&|&>|[^\n;&|()`\\])+/g;
const redirection = /(\d*(?:<>|>>|>\||[<>]))\s*([^\s<>]+)/g;
/** One whose text holds no other. */
const substitution = /`[^`]*`|\$\([^()]*\)/g;
/** The value of a word that is not known. */
const unknown = '${__}';

/** Whether all of it was read: `false` when there are too many commands. */
export function readLight(payload: Payload, session: Session): boolean {
  const { text } = payload;
  const readings = [
    text,
    // A command around a substitution is one command.
    text.replaceAll(substitution, unknown),
    // A quote that is never closed hides nothing.
    text.replaceAll(/['"]/g, ' '),
  ];
  const seen = new Set<string>();
  // A reading of another length has no places of its own in the text.
  const whole = { ...payload, span: payload.span ?? { start: 0, end: text.length } };
  return [...new Set(readings)]
    .map((each) => new Reader(each.length === text.length ? payload : whole, session, seen).read(each))
    .every(Boolean);
}

class Reader {
  readonly #payload: Payload;
  readonly #session: Session;
  /** What earlier readings have emitted. */
  readonly #seen: Set<string>;

  constructor(payload: Payload, session: Session, seen: Set<string>) {
    this.#payload = payload;
    this.#session = session;
    this.#seen = seen;
  }

  read(text: string): boolean {
    let count = 0;
    let end = 0;
    let stage: Stage = { pipeline: {}, index: 0 };
    for (const { 0: piece, index } of text.matchAll(piecesOf)) {
      count += 1;
      if (count > maxPieces || this.#seen.size > maxDistinct) return false;
      const isPiped = text.slice(end, index).trim() === '|';
      stage = isPiped ? { ...stage, index: stage.index + 1 } : { pipeline: {}, index: 0 };
      end = index + piece.length;
      const key = `${isPiped} ${piece}`;
      if (!this.#seen.has(key)) this.#emit(piece, index, stage);
      this.#seen.add(key);
    }
    return true;
  }

  #emit(piece: string, index: number, stage: Stage): void {
    const { around } = this.#payload;
    const span = this.#payload.span ?? { start: index, end: index + piece.length };
    const redirects = [...piece.matchAll(redirection)].flatMap(({ 1: operator = '', 2: target = '', index: at }) =>
      this.#resolve(target, index + at).map((word): Redirect => ({
        operator,
        target: word,
        writes: operator.includes('>'),
      })),
    );
    const rest = piece.replaceAll(redirection, (all) => ' '.repeat(all.length));
    const raws = [...rest.matchAll(/(?:\\[^]|\S)+/g)].filter(({ 0: raw }, at) => at > 0 || !reserved.test(raw));
    const first = raws.findIndex(({ 0: raw }) => !assigns.test(raw.slice(0, maxNameUnits)));
    const assignments = raws.slice(0, first < 0 ? raws.length : first).map(({ 0: raw, index: at }) => {
      const [name = ''] = raw.split(/[+[=]/, 1);
      const value = resolveValue(raw.slice(raw.indexOf('=') + 1), around.scope);
      return { name, value, ...(this.#payload.span ?? { start: index + at, end: index + at + raw.length }) };
    });
    if (first < 0) for (const { name, value } of assignments) keepValue(around.scope, name, value);
    const words = first < 0 ? [] : raws.slice(first).flatMap(({ 0: raw, index: at }) => this.#resolve(raw, index + at));
    const parts = { words, redirects, assignments, ...span, background: false };
    this.#session.emit({ ...parts, around: { ...around, stage }, stdin: null }, this.#payload);
  }

  #resolve(raw: string, start: number): readonly Word[] {
    const span = this.#payload.span ?? { start, end: start + raw.length };
    return resolveWord(raw, span, this.#payload.around.scope);
  }
}
