/** What becomes of a command that was scanned: its words resolved, and handed to the session once. */
import { keepValue, type Payload } from '../parts.ts';
import { substitutionsIn } from '../quoting.ts';
import type { Session } from '../session.ts';
import type { Assignment, Redirect, Stage, Word } from '../types.ts';
import { resolveText, resolveValue, resolveWord } from '../words.ts';

/** A word as it was found, not yet resolved. */
export interface Raw {
  readonly start: number;
  readonly end: number;
  /** Levels of substitutions in it. */
  readonly depth: number;
}

export interface RawRedirect {
  readonly operator: string;
  readonly target: Raw;
}

interface Scanned {
  readonly words: readonly Raw[];
  readonly redirects: readonly RawRedirect[];
  readonly stdin: string | null;
  readonly stage: Stage;
  readonly background: boolean;
}

const mostCommands = 60_000;
const mostDistinct = 25_000;
/** Longer commands are not compared with earlier ones. */
const mostKeyUnits = 1024;
const mostResolvedDepth = 4;
/** Words of the shell that may stand before a command. */
const reserved = /^(?:if|then|else|elif|fi|do|done|while|until|[!{}]|case|esac|function|select|for|in)$/;
const assigns = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
/** Units of a word in which that is looked for. */
const mostNameUnits = 128;

export class Commands {
  readonly #text: string;
  readonly #payload: Payload;
  readonly #session: Session;
  readonly #seen = new Set<string>();
  #count = 0;

  constructor(payload: Payload, session: Session) {
    this.#text = payload.text;
    this.#payload = payload;
    this.#session = session;
  }

  get tooMany(): boolean {
    return this.#count > mostCommands || this.#seen.size > mostDistinct;
  }

  take(scanned: Scanned): void {
    const { words, redirects } = scanned;
    if (words.length === 0 && redirects.length === 0) return;
    this.#count += 1;
    const from = words.findIndex(({ start, end }) => !reserved.test(this.#text.slice(start, end)));
    this.#emit(from === 0 ? scanned : { ...scanned, words: from < 0 ? [] : words.slice(from) });
  }

  resolve(raws: readonly Raw[]): readonly Word[] {
    const { span, around } = this.#payload;
    return raws.flatMap(({ start, end, depth }) =>
      resolveWord(
        depth > mostResolvedDepth ? '${__}' : this.#text.slice(start, end),
        span ?? { start, end },
        around.scope,
      ),
    );
  }

  /** The body of a here-document that is expanded: what it runs is read, too. */
  expanded(body: string, from: number): string {
    const { around, depth, elsewhere, span } = this.#payload;
    const word = { text: '', raw: '', start: from, end: from + body.length, literal: false, glob: false };
    const aside = { ...around, stdin: null, stage: null };
    for (const text of substitutionsIn(body))
      this.#session.read({ text, word }, { cwd: around.scope.cwd, around: aside, depth, span, elsewhere });
    return resolveText(body, around.scope);
  }

  #emit(scanned: Scanned): void {
    const { words, stage, stdin, background } = scanned;
    const range = this.#rangeOf(scanned);
    if (this.#isKnown(scanned, range)) return;
    const { around, span } = this.#payload;
    const first = words.findIndex((word) => !this.#assigns(word));
    const assignments = words.slice(0, first < 0 ? words.length : first).map((word) => this.#assignment(word));
    if (first < 0) for (const { name, value } of assignments) keepValue(around.scope, name, value);
    const redirects = scanned.redirects.flatMap((redirect) => this.#redirects(redirect));
    const own = first < 0 ? [] : this.resolve(words.slice(first));
    const parts = { words: own, redirects, assignments, ...(span ?? range), background };
    this.#session.emit({ ...parts, around: { ...around, stage }, stdin }, this.#payload);
  }

  #rangeOf({ words, redirects }: Scanned): { readonly start: number; readonly end: number } {
    const none = Number.MAX_SAFE_INTEGER;
    return {
      start: Math.min(words[0]?.start ?? none, redirects[0]?.target.start ?? none),
      end: Math.min(this.#text.length, Math.max(words.at(-1)?.end ?? 0, redirects.at(-1)?.target.end ?? 0)),
    };
  }

  /** The same command in the same place again says nothing new. */
  #isKnown(
    { stage, stdin, background }: Scanned,
    { start, end }: { readonly start: number; readonly end: number },
  ): boolean {
    const written = end - start > mostKeyUnits || stdin !== null ? String(start) : this.#text.slice(start, end);
    const key = `${this.#payload.around.scope.cwd ?? '?'} ${stage.index > 0} ${background} ${written}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #assigns({ start, end }: Raw): boolean {
    return assigns.test(this.#text.slice(start, Math.min(end, start + mostNameUnits)));
  }

  #assignment({ start, end }: Raw): Assignment {
    const source = this.#text.slice(start, end);
    const at = source.indexOf('=');
    const value = resolveValue(source.slice(at + 1), this.#payload.around.scope);
    return { name: source.slice(0, at).replace(/[+[].*$/, ''), value, start, end };
  }

  #redirects({ operator, target }: RawRedirect): readonly Redirect[] {
    const duplicates = /&$/.test(operator) && /^(?:\d+|-)$/.test(this.#text.slice(target.start, target.end));
    const writes = operator.includes('>');
    return duplicates ? [] : this.resolve([target]).map((word) => ({ operator, target: word, writes }));
  }
}
