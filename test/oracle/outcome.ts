/** What a command did, and in what two runs of it differ. */
import { without, withoutSums } from './fields.ts';
import type { Case } from './case.ts';

export interface Outcome {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** Status that a shell shows. `null`: its end is not known. */
  readonly code: number | null;
  /** What Caisson says of itself that the engine does not: that output is missing, that the end is not known. */
  readonly fault: string | null;
  /** Name, kind, mode and content of every file that is left, one a line. */
  readonly files: string;
}

/** A run, and the directory in which it was. */
export interface Ran {
  readonly directory: string;
  readonly outcome: Outcome;
}

export const parts = ['stdout', 'stderr', 'code', 'files', 'fault'] as const;
export type Part = (typeof parts)[number];

export interface Difference {
  readonly part: Part;
  readonly raw: string;
  readonly ours: string;
}

export function differences({ fields }: Pick<Case, 'fields'>, raw: Ran, ours: Ran): readonly Difference[] {
  const [wanted, found] = [raw, ours].map((ran) => shownOf(fields, ran));
  return parts.flatMap((part) =>
    wanted?.[part] === found?.[part] ? [] : [{ part, ...apart(wanted?.[part] ?? '', found?.[part] ?? '') }],
  );
}

function shownOf(fields: Case['fields'], { directory, outcome }: Ran): Readonly<Record<Part, string>> {
  const text = (bytes: Buffer): string => without(fields, directory, bytes).toString('latin1');
  return {
    stdout: text(outcome.stdout),
    stderr: text(outcome.stderr),
    code: String(outcome.code),
    files: filesOf(fields, outcome.files).replaceAll(directory, 'HERE'),
    fault: outcome.fault ?? '',
  };
}

const filesOf = (fields: Case['fields'], files: string): string =>
  fields.includes('content') ? withoutSums(files) : files;

const shownLength = 300;

/** Finds where two texts part, with a little of what stands before. */
function apart(raw: string, ours: string): { readonly raw: string; readonly ours: string } {
  let at = 0;
  while (at < raw.length && raw[at] === ours[at]) at += 1;
  const from = Math.max(0, at - 40);
  const shown = (text: string): string =>
    `${JSON.stringify(text.slice(from, from + shownLength))} (${from} to ${Math.min(text.length, from + shownLength)} of ${text.length})`;
  return { raw: shown(raw), ours: shown(ours) };
}
