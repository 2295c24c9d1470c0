/** The place of a command that is asked about, in the words of every front end. Pure. */
import type { Asked } from './types.ts';

type Placed = Pick<Asked, 'backend' | 'cwd' | 'user' | 'input' | 'stdin' | 'variables'>;

export const placeOf = ({ backend, cwd, user, input, stdin, variables }: Placed): readonly string[] => [
  `on ${backend}`,
  ...(cwd === null ? [] : [`in ${cwd}`]),
  ...(user === undefined ? [] : [`as the user ${user}`]),
  ...(stdin ? [input === null ? 'reads input that comes later and is not judged' : 'reads the input below'] : []),
  ...(variables.length === 0 ? [] : [`sets ${variables.join(', ')}`]),
];
