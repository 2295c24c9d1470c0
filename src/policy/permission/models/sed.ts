/** sed, by sed(1): scripts that edit what they read. Absent: scripts from files (`-f`), and in them what writes, reads or runs (`w`, `r`, `e`). */
import type { Model } from './model.ts';
import { onlyEdits } from './sed-script.ts';

export const sed: Model = {
  operands: 'script any*',
  supplied: /^(?:-[nErsuz]*e|--expression(?:=|$))/,
  kinds: {
    script: (text, isPattern) => !isPattern && text !== '' && onlyEdits(text),
    /** A slash or a star would put the copy elsewhere. */
    suffix: (text) => /^[\w.~-]*$/.test(text),
  },
  options:
    '-n -E -r -s -u -z -e:script -i?suffix -l:number --quiet --silent --regexp-extended --expression:script ' +
    '--in-place?suffix --null-data --separate --unbuffered --line-length:number --posix --sandbox --debug ' +
    '--follow-symlinks --version --help',
};
