/** Words and commands as they end, one frame for each substitution that is open; the text itself is the outermost. */
import type { Stage } from '../types.ts';
import type { Commands, Raw, RawRedirect } from './commands.ts';
import { hereDocumentOf, type HereDocument } from './here-documents.ts';

export interface Frame {
  readonly closer: ')' | '`' | '';
  words: Raw[];
  redirects: RawRedirect[];
  stdin: string | null;
  /** Their bodies come with the next line. */
  hereDocuments: HereDocument[];
  /** Of the redirection whose target comes next. */
  operator: string | null;
  /** -1 between words. */
  wordStart: number;
  wordDepth: number;
  /** Of all words so far. */
  deepest: number;
  double: boolean;
  parens: number;
  stage: Stage;
}

export class Frames {
  readonly #text: string;
  readonly #commands: Commands;
  readonly #open: Frame[] = [frameOf('')];

  constructor(text: string, commands: Commands) {
    this.#text = text;
    this.#commands = commands;
  }

  get top(): Frame {
    return this.#open.at(-1) ?? frameOf('');
  }

  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  push(closer: Frame['closer']): void {
    this.#open.push(frameOf(closer));
  }

  /** What was substituted is part of a word of what is around it. */
  pop(at: number): Frame | undefined {
    this.endCommand(at);
    const closed = this.#open.pop();
    const { top } = this;
    top.wordDepth = Math.max(top.wordDepth, 1 + (closed?.deepest ?? 0));
    return closed;
  }

  endWord(at: number): void {
    const { top } = this;
    if (top.wordStart < 0) return;
    const word = { start: top.wordStart, end: Math.min(at, this.#text.length), depth: top.wordDepth };
    top.wordStart = -1;
    top.wordDepth = 0;
    top.deepest = Math.max(top.deepest, word.depth);
    const { operator } = top;
    top.operator = null;
    if (operator === null) top.words.push(word);
    else this.#target(word, operator, top);
  }

  #target(word: Raw, operator: string, frame: Frame): void {
    if (operator.startsWith('<<<')) frame.stdin = `${this.#commands.resolve([word])[0]?.text ?? ''}\n`;
    else if (operator.startsWith('<<'))
      frame.hereDocuments.push(hereDocumentOf(operator, this.#text.slice(word.start, word.end)));
    else frame.redirects.push({ operator, target: word });
  }

  endCommand(at: number, background = false): void {
    this.endWord(at);
    const { top } = this;
    const { words, redirects, stdin, stage } = top;
    top.words = [];
    top.redirects = [];
    top.stdin = null;
    this.#commands.take({ words, redirects, stdin, stage, background });
  }
}

function frameOf(closer: Frame['closer']): Frame {
  return {
    closer,
    words: [],
    redirects: [],
    stdin: null,
    hereDocuments: [],
    operator: null,
    wordStart: -1,
    wordDepth: 0,
    deepest: 0,
    double: false,
    parens: 0,
    stage: { pipeline: {}, index: 0 },
  };
}
