/** awk, gawk and mawk, by their manuals: a program in the words that only prints. Absent: programs from files, and all other options of gawk. */
import type { Model } from './model.ts';

/** Runs a command, reads from one or from a file, calls by a name that is made up, loads a library. */
const runs = /\b(?:system|getline|extension)\b|@[\s\\]*[A-Za-z_]/;
/** `print > file`, `print | command`: nothing else that writes has such a sign, and `print` stands before it. */
const output = /print[^]*[>|]/;
const comparisons = /\|\||>=/g;

export const awk: Model = {
  operands: 'program any*',
  kinds: {
    program: (text, isPattern) => !isPattern && !runs.test(text) && !output.test(text.replace(comparisons, ' ')),
  },
  options: '-F:text -v:text -V --field-separator:text --assign:text --version',
};
