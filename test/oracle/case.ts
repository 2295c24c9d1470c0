/** Everyday commands, as the files in `commands/` have them: one a line. README.md says how a line is read. */
import { readdirSync, readFileSync } from 'node:fs';
import { type Field, isField } from './fields.ts';

export interface Case {
  /** Name of its file. */
  readonly group: string;
  /** `GROUP/NUMBER`, counted in its file. */
  readonly id: string;
  /** The line, for reports. */
  readonly line: string;
  /** Shell text. A session gets the parts one after the other, every other path all of them at once. */
  readonly steps: readonly string[];
  /** What the caller gives as stdin, as `stdin.ts` makes it. `null`: nothing. */
  readonly stdin: string | null;
  /** It reads stdin to its end, which a terminal does not have. */
  readonly reads: boolean;
  readonly fields: readonly Field[];
  /** Name of an accepted difference. */
  readonly accepted: string | null;
}

const directory = new URL('commands/', import.meta.url);
const marks = / @([a-z]+)(?:=([\w:-]+))?$/;

/** What a group needs before each of its commands. */
const preludes: Readonly<Record<string, string>> = {
  git: "export GIT_AUTHOR_DATE='2001-01-07T00:00:00Z' GIT_COMMITTER_DATE='2001-01-07T00:00:00Z' GIT_PAGER=cat\n",
};

export function readCases(): readonly Case[] {
  const files = readdirSync(directory).filter((name) => name.endsWith('.txt'));
  return files.sort().flatMap((name) => casesIn(name.slice(0, -'.txt'.length), text(name)));
}

const text = (name: string): string => readFileSync(new URL(name, directory), 'utf8');

export function casesIn(group: string, lines: string): readonly Case[] {
  return lines
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line, index) => caseOf(group, `${group}/${index + 1}`, line));
}

function caseOf(group: string, id: string, line: string): Case {
  const { command, said } = split(line);
  const fields = [...said.keys()].filter((name) => name !== 'stdin' && name !== 'accept' && name !== 'reads');
  const unknown = fields.find((name) => !isField(name));
  if (unknown !== undefined) throw new Error(`${id}: @${unknown} is not known`);
  const [first = '', ...more] = command.replaceAll('⏎', '\n').split('⏭');
  return {
    group,
    id,
    line,
    steps: [`${preludes[group] ?? ''}${first}`, ...more],
    stdin: said.get('stdin') ?? null,
    reads: said.has('reads'),
    fields: fields.filter((name) => isField(name)),
    accepted: said.get('accept') ?? null,
  };
}

/** A line without the marks at its end. */
export const commandOf = (line: string): string => split(line).command;

/** The marks at the end of a line, taken off. */
function split(line: string): { readonly command: string; readonly said: ReadonlyMap<string, string> } {
  const said = new Map<string, string>();
  let command = line;
  for (let found = marks.exec(command); found !== null; found = marks.exec(command)) {
    said.set(found[1] ?? '', found[2] ?? '');
    command = command.slice(0, found.index);
  }
  return { command, said };
}
