/** The place of a command that is asked about, in the words of every front end. Pure. */
import type { Asked } from './types.ts';

type Placed = Pick<Asked, 'backend' | 'cwd' | 'stdin' | 'variables'>;

export const placeOf = ({ backend, cwd, stdin, variables }: Placed): readonly string[] => [
  `on ${backend}`,
  ...(cwd === null ? [] : [`in ${cwd}`]),
  ...(stdin ? ['reads input'] : []),
  ...(variables.length === 0 ? [] : [`sets ${variables.join(', ')}`]),
];
