/** Goes through a text character by character: quotes, blanks and operators say where words and commands end. */
import type { Payload } from '../parts.ts';
import type { Session } from '../session.ts';
import { Commands } from './commands.ts';
import { Frames, type Frame } from './frames.ts';
import { bodyFrom } from './here-documents.ts';

export class Scanner {
  readonly #text: string;
  readonly #commands: Commands;
  readonly #frames: Frames;
  #at = 0;
  /** Whether a quote stayed open. */
  quoted = false;

  constructor(payload: Payload, session: Session) {
    this.#text = payload.text;
    this.#commands = new Commands(payload, session);
    this.#frames = new Frames(payload.text, this.#commands);
  }

  read(): boolean {
    while (this.#at < this.#text.length && !this.#commands.tooMany) this.#step(this.#text[this.#at] ?? '');
    while (!this.#frames.isEmpty) this.#popFrame();
    return !this.#commands.tooMany;
  }

  #step(char: string): void {
    const frame = this.#frames.top;
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
    if (char === "'") this.#single();
    else if (char === '#' && frame.wordStart < 0) this.#at += this.#run(/[^\n]*/y);
    else if (char === ' ' || char === '\t' || char === '\r') {
      this.#frames.endWord(this.#at);
      this.#at += 1;
    } else if (char === '<' || char === '>') this.#redirect(frame);
    else if ('\n;&|()'.includes(char)) this.#separate(char, frame);
    else this.#part(this.#run(/[^\s\\'"$`;&|()<>]+/y));
  }

  #single(): void {
    const close = this.#text.indexOf("'", this.#at + 1);
    this.quoted ||= close < 0;
    this.#part(close < 0 ? 1 : close - this.#at + 1);
  }

  /** Length of what matches here, at least one. */
  #run(pattern: RegExp): number {
    pattern.lastIndex = this.#at;
    return Math.max(1, pattern.exec(this.#text)?.[0].length ?? 1);
  }

  #part(length: number): void {
    const frame = this.#frames.top;
    if (frame.wordStart < 0) frame.wordStart = this.#at;
    this.#at = Math.min(this.#at + length, this.#text.length);
  }

  #openFrame(width: number, closer: ')' | '`'): void {
    this.#part(width);
    this.#frames.push(closer);
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
    this.quoted = this.#frames.pop(this.#at)?.double === true || this.quoted;
  }

  #redirect(frame: Frame): void {
    if (this.#text[this.#at + 1] === '(') {
      this.#openFrame(2, ')');
      return;
    }
    const width = this.#run(/(?:<<<|<<-?|<>|[<>]&|>>|>\||[<>])/y);
    if (frame.wordStart >= 0 && /^\d+$/.test(this.#text.slice(frame.wordStart, this.#at))) frame.wordStart = -1;
    this.#frames.endWord(this.#at);
    frame.operator = this.#text.slice(this.#at, this.#at + width);
    this.#at += width;
  }

  #separate(char: string, frame: Frame): void {
    if (char === ')' && frame.closer === ')' && frame.parens === 0) {
      this.#closeFrame();
      return;
    }
    const next = this.#text[this.#at + 1];
    this.#frames.endWord(this.#at);
    // `&>` is a redirection.
    if (char === '&' && next === '>') this.#at += 1;
    else this.#operate(char, next, frame);
  }

  /** An operator, or the end of a line, ends a command. */
  #operate(char: string, next: string | undefined, frame: Frame): void {
    if (char === '\n') this.#hereDocuments(frame);
    const piped = char === '|' && next !== '|';
    this.#frames.endCommand(this.#at, char === '&' && next !== '&');
    const { pipeline, index } = frame.stage;
    frame.stage = piped ? { pipeline, index: index + 1 } : { pipeline: {}, index: 0 };
    if (char === '(') frame.parens += 1;
    else if (char === ')') frame.parens = Math.max(0, frame.parens - 1);
    const two = char !== '\n' && (next === char || (piped && next === '&'));
    this.#at += two ? 2 : 1;
  }

  #hereDocuments(frame: Frame): void {
    for (const document of frame.hereDocuments.splice(0)) {
      const from = this.#at + 1;
      const { body, behind } = bodyFrom(this.#text, from, document);
      frame.stdin = document.quoted ? body : this.#commands.expanded(body, from);
      this.#at = behind;
    }
  }
}
