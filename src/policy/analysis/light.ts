/**
 * Reads commands without the grammar: forgiving, linear, one pass. For texts that the grammar cannot take (broken, too
 * long, too deep), so that what is forbidden is still seen in them. It may see commands where there are none; a text
 * that gets here is asked for anyway.
 */
import { keepValue, type Payload } from './parts.ts';
import type { Session } from './session.ts';
import type { Assignment, Redirect, Stage, Word } from './types.ts';
import { substitutionsIn } from './quoting.ts';
import { resolveText, resolveValue, resolveWord } from './words.ts';

const mostCommands = 60_000;
const mostDistinct = 25_000;
/** Longer commands are not compared with earlier ones. */
const mostKeyUnits = 1024;
const mostResolvedDepth = 4;
const reserved = new Set(['if', 'then', 'else', 'elif', 'fi', 'do', 'done', 'while', 'until', '!', '{', '}', 'case', 'esac', 'function', 'select', 'for', 'in']);

interface Raw {
  readonly start: number;
  readonly end: number;
  /** Levels of substitutions in it. */
  readonly depth: number;
}

interface Frame {
  readonly closer: ')' | '`' | '';
  readonly start: number;
  words: Raw[];
  redirects: { readonly operator: string; readonly target: Raw }[];
  stdin: string | null;
  heredocs: { readonly end: string; readonly tabs: boolean; readonly quoted: boolean }[];
  operator: string | null;
  wordStart: number;
  wordDepth: number;
  /** Of all words so far. */
  deepest: number;
  double: boolean;
  parens: number;
  stage: { pipeline: object; index: number };
}

/** Whether all of it was read: `false` when there are too many commands. */
export function readLight(payload: Payload, session: Session): boolean {
  const light = new Light(payload, session);
  const complete = light.read();
  // A quote that is never closed hides nothing: what it might hold is read as commands too.
  return light.quoted ? new Light({ ...payload, text: payload.text.replace(/['"]/g, ' ') }, session).read() && complete : complete;
}

class Light {
  readonly #text: string;
  readonly #payload: Payload;
  readonly #session: Session;
  readonly #frames: Frame[] = [frameAt(0, '')];
  readonly #seen = new Set<string>();
  #count = 0;
  #at = 0;
  /** Whether a quote stayed open. */
  quoted = false;

  constructor(payload: Payload, session: Session) {
    this.#payload = payload;
    this.#text = payload.text;
    this.#session = session;
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? frameAt(0, '');
  }

  read(): boolean {
    while (this.#at < this.#text.length && !this.#tooMany()) this.#step(this.#text[this.#at] ?? '');
    while (this.#frames.length > 0) this.#popFrame();
    return !this.#tooMany();
  }

  #tooMany(): boolean {
    return this.#count > mostCommands || this.#seen.size > mostDistinct;
  }

  #step(char: string): void {
    const frame = this.#top;
    if (char === '\\') this.#part(2);
    else if (char === '$' && this.#text[this.#at + 1] === '(') this.#openFrame(2, ')');
    else if (char === '`') this.#backtick(frame);
    else if (char === '"') {
      frame.double = !frame.double;
      this.#part(1);
    } else if (frame.double) this.#part(this.#run(/[^"\\$`]+/y));
    else this.#bare(char, frame);
  }

  #bare(char: string, frame: Frame): void {
    if (char === "'") {
      const close = this.#text.indexOf("'", this.#at + 1);
      this.quoted ||= close < 0;
      this.#part(close < 0 ? 1 : close - this.#at + 1);
    } else if (char === '#' && frame.wordStart < 0) this.#at += this.#run(/[^\n]*/y);
    else if (char === ' ' || char === '\t' || char === '\r') {
      this.#endWord();
      this.#at += 1;
    } else if (char === '<' || char === '>') this.#redirect(frame);
    else if ('\n;&|()'.includes(char)) this.#separate(char, frame);
    else this.#part(this.#run(/[^\s\\'"$`;&|()<>]+/y));
  }

  /** Length of what matches here, at least one. */
  #run(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return Math.max(1, pattern.exec(this.#text)?.[0].length ?? 1);
  }

  #part(length: number): void {
    const frame = this.#top;
    if (frame.wordStart < 0) frame.wordStart = this.#at;
    this.#at = Math.min(this.#at + length, this.#text.length);
  }

  #openFrame(width: number, closer: ')' | '`'): void {
    this.#part(width);
    this.#frames.push(frameAt(this.#at, closer));
  }

  #backtick(frame: Frame): void {
    if (frame.closer === '`') this.#closeFrame();
    else this.#openFrame(1, '`');
  }

  #closeFrame(): void {
    this.#popFrame();
    this.#at += 1;
  }

  #popFrame(): void {
    this.#endCommand();
    const closed = this.#frames.pop();
    this.quoted ||= closed?.double === true;
    const frame = this.#top;
    frame.wordDepth = Math.max(frame.wordDepth, 1 + (closed?.deepest ?? 0));
  }

  #redirect(frame: Frame): void {
    const operator = /(?:<<<|<<-?|<>|[<>]&|>>|>\||[<>])/y;
    operator.lastIndex = this.#at;
    const found = operator.exec(this.#text)?.[0] ?? '<';
    if (this.#text[this.#at + 1] === '(') {
      this.#openFrame(2, ')');
      return;
    }
    if (frame.wordStart >= 0 && /^\d+$/.test(this.#text.slice(frame.wordStart, this.#at))) frame.wordStart = -1;
    this.#endWord();
    frame.operator = found;
    this.#at += found.length;
  }

  #separate(char: string, frame: Frame): void {
    if (char === ')' && frame.closer === ')' && frame.parens === 0) {
      this.#closeFrame();
      return;
    }
    const next = this.#text[this.#at + 1];
    if (char === '&' && next === '>') {
      this.#endWord();
      this.#at += 1;
      return;
    }
    this.#endWord();
    if (char === '\n') this.#heredocBodies(frame);
    const piped = char === '|' && next !== '|';
    this.#endCommand(char === '&' && next !== '&');
    frame.stage = piped ? { pipeline: frame.stage.pipeline, index: frame.stage.index + 1 } : { pipeline: {}, index: 0 };
    frame.parens += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (frame.parens < 0) frame.parens = 0;
    this.#at += next === char || (piped && next === '&') ? 2 : 1;
    if (char === '\n') this.#at = Math.max(this.#at - (next === '\n' ? 1 : 0), 0);
  }

  #heredocBodies(frame: Frame): void {
    for (const { end, tabs, quoted } of frame.heredocs.splice(0)) {
      const from = this.#at + 1;
      const lines = new RegExp(`^${tabs ? '\\t*' : ''}${end.replace(/[^\w]/g, '\\$&')}$`, 'm');
      const rest = this.#text.slice(from);
      const found = lines.exec(rest);
      const body = rest.slice(0, found?.index ?? rest.length);
      frame.stdin = quoted ? body : this.#expanded(body, from);
      this.#at = found === null ? this.#text.length : from + found.index + found[0].length;
    }
  }

  #expanded(body: string, from: number): string {
    const { around, depth, elsewhere, span } = this.#payload;
    const word = { text: '', raw: '', start: from, end: from + body.length, literal: false, glob: false };
    for (const text of substitutionsIn(body)) this.#session.read({ text, word }, { cwd: around.scope.cwd, around: { ...around, stdin: null, stage: null }, depth, span, elsewhere });
    return resolveText(body, around.scope);
  }

  #endWord(): void {
    const frame = this.#top;
    if (frame.wordStart < 0) return;
    const word = { start: frame.wordStart, end: Math.min(this.#at, this.#text.length), depth: frame.wordDepth };
    frame.wordStart = -1;
    frame.wordDepth = 0;
    frame.deepest = Math.max(frame.deepest, word.depth);
    const { operator } = frame;
    frame.operator = null;
    if (operator === null) frame.words.push(word);
    else if (operator.startsWith('<<<')) frame.stdin = `${this.#resolve([word])[0]?.text ?? ''}\n`;
    else if (operator.startsWith('<<')) this.#heredoc(word, operator, frame);
    else frame.redirects.push({ operator, target: word });
  }

  #heredoc({ start, end }: Raw, operator: string, frame: Frame): void {
    const written = this.#text.slice(start, end);
    frame.heredocs.push({ end: written.replace(/['"\\]/g, ''), tabs: operator === '<<-', quoted: /['"\\]/.test(written) });
  }

  #endCommand(background = false): void {
    this.#endWord();
    const frame = this.#top;
    const { words, redirects, stdin, stage } = frame;
    frame.words = [];
    frame.redirects = [];
    frame.stdin = null;
    if (words.length === 0 && redirects.length === 0) return;
    this.#count += 1;
    const from = words.findIndex(({ start, end }) => !reserved.has(this.#text.slice(start, end)));
    this.#emit(from < 0 ? [] : words.slice(from), { redirects, stdin, stage, background });
  }

  #emit(raws: readonly Raw[], what: { readonly redirects: Frame['redirects']; readonly stdin: string | null; readonly stage: Stage; readonly background: boolean }): void {
    const start = Math.min(raws[0]?.start ?? Number.MAX_SAFE_INTEGER, what.redirects[0]?.target.start ?? Number.MAX_SAFE_INTEGER);
    const end = Math.min(this.#text.length, Math.max(raws.at(-1)?.end ?? 0, what.redirects.at(-1)?.target.end ?? 0));
    const { around } = this.#payload;
    const written = end - start > mostKeyUnits || what.stdin !== null ? String(start) : this.#text.slice(start, end);
    const key = `${around.scope.cwd ?? '?'} ${what.stage.index > 0} ${what.background} ${written}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const first = raws.findIndex((raw) => !/^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/.test(this.#text.slice(raw.start, Math.min(raw.end, raw.start + 128))));
    const assignments = raws.slice(0, first < 0 ? raws.length : first).map((raw) => this.#assignment(raw));
    if (first < 0) for (const { name, value } of assignments) keepValue(around.scope, name, value);
    const redirects: Redirect[] = what.redirects.flatMap(({ operator, target }) =>
      /&$/.test(operator) && /^(?:\d+|-)$/.test(this.#text.slice(target.start, target.end)) ? [] : this.#resolve([target]).map((word) => ({ operator, target: word, writes: operator.includes('>') })),
    );
    const span = this.#payload.span ?? { start, end };
    this.#session.emit({ words: first < 0 ? [] : this.#resolve(raws.slice(first)), redirects, assignments, ...span, background: what.background, around: { ...around, stage: what.stage }, stdin: what.stdin }, this.#payload);
  }

  #assignment({ start, end }: Raw): Assignment {
    const source = this.#text.slice(start, end);
    const at = source.indexOf('=');
    return { name: source.slice(0, at).replace(/[+[].*$/, ''), value: resolveValue(source.slice(at + 1), this.#payload.around.scope), start, end };
  }

  #resolve(raws: readonly Raw[]): readonly Word[] {
    return raws.flatMap(({ start, end, depth }) =>
      resolveWord(depth > mostResolvedDepth ? '${__}' : this.#text.slice(start, end), this.#payload.span ?? { start, end }, this.#payload.around.scope),
    );
  }
}

function frameAt(start: number, closer: Frame['closer']): Frame {
  return { closer, start, words: [], redirects: [], stdin: null, heredocs: [], operator: null, wordStart: -1, wordDepth: 0, deepest: 0, double: false, parens: 0, stage: { pipeline: {}, index: 0 } };
}
