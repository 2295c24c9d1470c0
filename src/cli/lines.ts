/** Questions as lines of JSON on standard input, each answered by one line, in order. */
import { CaissonError } from '../errors.ts';
import type { Context } from './context.ts';
import { toJson } from './json.ts';

/** Answers of this many units are written together. */
const batchUnits = 64 * 1024;
const maxLineUnits = 8 * 1024 * 1024;

export interface Questions {
  /** A line as it should be, for those who wrote another one. */
  readonly example: string;
  readonly answer: (line: Line) => object | Promise<object>;
}

/** One line that was read. Its methods throw `invalid_argument` with the number of the line. */
export interface Line {
  readonly text: (name: string) => string;
  /** `undefined`: it is not there. */
  readonly texts: (name: string) => readonly string[] | undefined;
}

/** Exits 0 when every line was answered. Answers before a bad line are still printed. */
export async function answerLines(context: Context, { example, answer }: Questions): Promise<number> {
  let answers = '';
  let count = 0;
  try {
    for await (const text of linesOf(context.world.stdin)) {
      if (context.signal.aborted) break;
      count += 1;
      if (text.trim() === '') continue;
      answers += `${toJson(await answer(readLine(text, count, example)))}\n`;
      if (answers.length < batchUnits) continue;
      await context.print(answers);
      answers = '';
    }
  } finally {
    await context.print(answers);
  }
  return 0;
}

/** Only newlines end a line: `node:readline` also splits at U+2028, which JSON may hold. */
async function* linesOf(stdin: AsyncIterable<unknown>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stdin) {
    const lines = (
      rest + (chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : String(chunk))
    ).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > maxLineUnits)
      throw new CaissonError('invalid_argument', 'a line is longer than 8 MiB', {
        remedy: 'end each question with a newline',
      });
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function readLine(text: string, number: number, example: string): Line {
  const value = parsed(text, number, example);
  const fieldOf = (name: string): unknown => (value === null ? undefined : new Map(Object.entries(value)).get(name));
  const lineError = (name: string, kind: string): CaissonError =>
    new CaissonError('invalid_argument', `line ${number} has no "${name}" that is ${kind}`, {
      remedy: `write ${example} on each line`,
    });
  return {
    text: (name) => {
      const field = fieldOf(name);
      if (typeof field === 'string') return field;
      throw lineError(name, 'a string');
    },
    texts: (name) => {
      const field = fieldOf(name);
      if (field === undefined || isTexts(field)) return field;
      throw lineError(name, 'a list of strings');
    },
  };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** `null`: JSON, but no object. */
function parsed(text: string, number: number, example: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch (error) {
    throw new CaissonError('invalid_argument', `line ${number} is no JSON`, {
      cause: error,
      remedy: `write ${example} on each line`,
    });
  }
}
