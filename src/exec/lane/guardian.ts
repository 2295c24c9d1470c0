/** The first process of a sandbox that keeps a lane on its own streams, so that the first command needs no exec at all. */
import { scriptOf } from '../../inside/script.ts';
import { laneArguments } from './script.ts';

export function guardianCommand(nonce: string): readonly [string, ...string[]] {
  const [lane, , ...args] = laneArguments(nonce);
  return ['sh', '-c', scriptOf('lanes/guardian'), 'guardian', lane, ...args];
}
