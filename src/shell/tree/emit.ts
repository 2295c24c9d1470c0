/** Hands a simple command to the session: its words, its redirections and its assignments. */
import type { Assignment, Word } from '../types.ts';
import { stdinOf } from './here-documents.ts';
import type { Reading } from './reading.ts';
import { redirectsOf } from './redirections.ts';

export interface Emitted {
  readonly words?: readonly Word[];
  /** Nodes. */
  readonly redirects?: readonly number[];
  readonly assignments?: readonly Assignment[];
}

const ampersand = /^[ \t]*&(?![&>])/;
/** Units behind a command in which that is looked for. */
const maxBehind = 16;

/** `reach`: the node up to whose end it reaches. */
export function emit(reading: Reading, reach: number, { words = [], redirects = [], assignments = [] }: Emitted): void {
  const background = inBackground(reading, reach);
  if (background) reading.session.features.add('background');
  reading.session.emit(
    {
      words,
      redirects: redirects.flatMap((each) => redirectsOf(reading, each)),
      assignments,
      ...reading.span(reach),
      background,
      around: reading.around,
      stdin: stdinOf(reading, redirects),
    },
    reading.payload,
  );
}

function inBackground({ tree, text }: Reading, reach: number): boolean {
  return ampersand.test(text.slice(tree.end[reach], (tree.end[reach] ?? 0) + maxBehind));
}
