/** Commands by the rule that covers them or does not, as data; words in capitals stand for places of a test. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const file = z.strictObject({
  /** Harmless, and covered. */
  covered: z.array(z.string()),
  /** Runs a program, or writes outside of what a rule covers: the test runs each of them. */
  beyond: z.array(z.string()).default([]),
  /** Goes beyond a rule by the manual, for a program or a version that is not installed: the test does not run it. */
  documented: z.array(z.string()).default([]),
});

export type Forms = z.infer<typeof file>;

const here = new URL('.', import.meta.url);

/** Forms by the name of the program. */
export const forms: ReadonlyMap<string, Forms> = new Map(
  readdirSync(here)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => [name.replace('.yaml', ''), file.parse(parse(readFileSync(new URL(name, here), 'utf8')))]),
);

export interface Places {
  readonly root: string;
  /** Host and port of a server. */
  readonly host: string;
}

export const placed = (form: string, { root, host }: Places): string =>
  form.replace(/(?:RUN|OUT|ROOT|HOST)\b/g, (name) =>
    name === 'RUN' ? `${root}/run` : name === 'OUT' ? `${root}/out` : name === 'HOST' ? host : root,
  );
