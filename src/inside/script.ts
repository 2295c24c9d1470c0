/** The texts of the scripts of this folder, which run in sandboxes. */
import { shellText } from '../lib/script.ts';

/** `parts`: names without `.sh`, such as `files/read`; one for bash alone ends in `.bash`. A part that defines functions comes before what calls them. */
export function scriptOf(...parts: readonly [string, ...string[]]): string {
  return shellText(...parts.map((part) => `src/inside/${part}`));
}

/** A text with `_cz_insert_NAME` replaced by what `inserts` has under that name, where there may be more to insert. */
export function insertedIn(text: string, inserts: Readonly<Record<string, string>>): string {
  return text.replaceAll(/_cz_insert_([a-z]+(?:_[a-z]+)*)/g, (_, name: string) => {
    const insert = inserts[name];
    if (insert === undefined) throw new Error(`nothing to insert for ${name}`);
    return insertedIn(insert, inserts);
  });
}

/** A program, and the command that reads it from its stdin. The arguments say no more than what it is. */
export interface FedCommand {
  readonly command: readonly [string, ...string[]];
  /** To be written first. Shells read ahead, so nothing follows before the program has answered. */
  readonly program: Buffer;
}

/** The program is one group, which a shell reads whole before any of it runs: what follows it on stdin is not taken for more of it. */
export function fed(name: string, text: string): FedCommand {
  return { command: ['sh', '-s', `caisson-${name}`], program: Buffer.from(`{\n${text}\n}\n`) };
}
