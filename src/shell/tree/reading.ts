/** What is known while a syntax tree is walked: what holds at the node, and what was learned for those still to come. */
import type { FlatTree } from '../grammar/flatten.ts';
import type { Around, Payload } from '../parts.ts';
import type { Session } from '../session.ts';
import type { Stage, Word } from '../types.ts';
import { resolveWord } from '../words.ts';
import { hasJoints } from './edges.ts';
import type { Loop } from './loops.ts';
import { childrenOf, wordRanges, type Range } from './ranges.ts';

/** What the grammar puts around a list, but belongs to its last command. */
export interface Lent {
  readonly redirects: readonly number[];
  /** The node up to whose end the command reaches. */
  readonly reach: number;
  readonly dash: readonly Range[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export class Reading {
  readonly tree: FlatTree;
  readonly text: string;
  readonly payload: Payload;
  readonly hasJoints: boolean;
  readonly session: Session;
  readonly stages = new Map<number, Stage>();
  readonly lent = new Map<number, Lent>();
  readonly loops: Loop[] = [];
  /** Parts of here-documents that the grammar takes for words. */
  readonly eaten: Range[] = [];
  around: Around;
  asShell = true;
  /** What holds again behind a node. */
  readonly #open: { readonly until: number; readonly around: Around }[] = [];

  constructor(tree: FlatTree, payload: Payload, session: Session) {
    this.tree = tree;
    this.text = payload.text;
    this.payload = payload;
    this.session = session;
    this.around = payload.around;
    this.hasJoints = hasJoints(payload.text);
  }

  enter(node: number, change: Partial<Around>): void {
    this.#open.push({ until: this.tree.last[node] ?? 0, around: this.around });
    this.around = { ...this.around, ...change };
  }

  /** Leaves what ends before the node. */
  leave(node: number): void {
    for (let top = this.#open.at(-1); top !== undefined && node >= top.until; top = this.#open.at(-1)) {
      this.around = top.around;
      this.#open.pop();
    }
  }

  /** Notes that the shell reads the text otherwise than the grammar: the light reader then looks at it again. */
  differs(node: number): void {
    this.asShell = false;
    this.session.note('U1', 'command that does not parse', this.span(node));
  }

  kind(node: number): string {
    return this.tree.kind[node] ?? '';
  }

  children(node: number): readonly number[] {
    return childrenOf(this.tree, node);
  }

  source(node: number): string {
    return this.text.slice(this.tree.start[node], this.tree.end[node]);
  }

  span(node: number): Span {
    return this.payload.span ?? { start: this.tree.start[node] ?? 0, end: this.tree.end[node] ?? 0 };
  }

  words(nodes: readonly number[]): readonly Word[] {
    return wordRanges(this.tree, this.text, nodes).flatMap((range) =>
      resolveWord(this.text.slice(range.start, range.end), this.payload.span ?? range, this.around.scope),
    );
  }

  /** Commands that run beside the one they stand in, and are no nodes. */
  readAside(text: string, at: Span): void {
    const { depth, span, elsewhere } = this.payload;
    const around = { ...this.around, stdin: null, stage: null };
    const word = { text: '', raw: '', ...at, literal: false, glob: false };
    this.session.read({ text, word }, { cwd: around.scope.cwd, around, depth, span, elsewhere });
  }
}
