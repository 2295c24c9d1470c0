/** What the classes of forms are made of. The payload is refused by its words and harmless in fact: `mkfs` of a device that is not there. */
import { randomFrom } from '../audited/classes.ts';

/** One form while it is made: its payload, and choices by the seed. */
export interface Form {
  readonly pick: <T>(...from: readonly T[]) => T;
  /** The words that must not run. They name the form, so that the log of the stub says which one ran. */
  readonly run: string;
  /** `run` in a text for a shell, alone or beside other commands. */
  readonly text: () => string;
  /** The name of a file, another one for each `which`. */
  readonly file: (which: string) => string;
  readonly shell: () => string;
}

export type Generate = (form: Form) => string;

export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A command that writes the text to its output. */
export const says = ({ pick }: Form, text: string): string =>
  pick(
    `echo ${quoted(text)}`,
    `printf '%s\\n' ${quoted(text)}`,
    `printf ${quoted(`${text.replaceAll('%', '%%')}\\n`)}`,
  );

/** Makes a form; a seed and a number always give equal text. */
export function formOf(generate: Generate, seed: number, number: number): string {
  const random = randomFrom(seed * 100_003 + number);
  const pick: Form['pick'] = (...from) => from[random(from.length)] as (typeof from)[number];
  const run = `mkfs.ext4 ${pick('', '', '-F ', '-q ')}/dev/nothing${number}`;
  const name = pick('a', 'b', 'x.sh', 'go', 'd-1', 'a_b');
  const form: Form = {
    pick,
    run,
    text: () => pick('', '', 'true; ', ': && ') + run + pick('', '', '; true', ' || :'),
    file: (which) => `${which}${name}`,
    shell: () => pick('sh', 'bash', 'dash', 'bash -e', 'sh -u', 'env sh', 'nice bash', 'command sh', '/bin/sh'),
  };
  const before = pick('', '', 'true; ', 'x=1; ', ': && ', 'cd . && ');
  return before + generate(form) + pick('', '', '; true', '\n:', '\nwait');
}
