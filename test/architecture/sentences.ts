/** The form of comments: each is a sentence that stands without the name below it. */
import type { Sources } from './imports.ts';

interface Comment {
  readonly line: number;
  readonly isDoc: boolean;
  readonly text: string;
}

/** Begins that leave the subject to the name below, or to the comment above. */
const begin = /^(?:Of|As|By|With|Where|The same)\b/;
const inside = /\b(?:is no (?=[a-z])(?!longer\b|more\b|less\b|such\b)|are none\b|as one that\b)/;

/** Faults of all comments, as `PATH:LINE: what`. */
export function faultsOf(sources: Sources): readonly string[] {
  return [...sources].flatMap(([path, text]) =>
    commentsOf(text).flatMap((comment, index, all) =>
      faults(comment, all[index - 1]).map((fault) => `${path}:${comment.line}: ${fault}: ${comment.text.slice(0, 60)}`),
    ),
  );
}

function faults(comment: Comment, before: Comment | undefined): readonly string[] {
  const { text, isDoc, line } = comment;
  return [
    ...(begin.test(text) ? [`begins with ${begin.exec(text)?.[0] ?? ''}`] : []),
    ...(inside.test(text) ? [`has "${inside.exec(text)?.[0] ?? ''}"`] : []),
    ...(isDoc && before?.isDoc === true && before.line + linesIn(before) === line ? ['follows another one'] : []),
  ];
}

const linesIn = ({ text }: Comment): number => text.split('\n').length;

/** Comments that have a line, or lines, of their own. Lines of `//` that follow each other are one comment. */
export function commentsOf(source: string): readonly Comment[] {
  const found: Comment[] = [];
  const pattern = /^[ \t]*(?:\/\*\*?([\s\S]*?)\*\/|((?:\/\/.*\n[ \t]*)*\/\/.*))[ \t]*$/gm;
  for (const { 0: whole, 1: block, 2: lines, index } of source.matchAll(pattern)) {
    const text = block ?? lines ?? '';
    const line = source.slice(0, index).split('\n').length;
    found.push({ line, isDoc: whole.trimStart().startsWith('/**'), text: plain(text) });
  }
  return found;
}

/** The words of a comment, without its marks; line breaks stay. */
const plain = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(/^[ \t]*(?:\/\/|\*(?!\*))?[ \t]?/, '').trimEnd())
    .join('\n')
    .replace(/^\n/, '')
    .trim();
