import type { Suite } from '../suite.ts';
import { abortCases } from './abort.ts';
import { argumentCases } from './arguments.ts';
import { backgroundCases } from './background.ts';
import { credentialCases } from './credentials.ts';
import { cwdCases } from './cwd.ts';
import { environmentCases } from './environment.ts';
import { exitCases } from './exit.ts';
import { facetCases } from './facets.ts';
import { inheritanceCases } from './inheritance.ts';
import { killCases } from './kill.ts';
import { lifecycleCases } from './lifecycle.ts';
import { limitCases } from './limits.ts';
import { mountCases } from './mounts.ts';
import { namingCases } from './naming.ts';
import { networkCases } from './network.ts';
import { outputCases } from './outputs.ts';
import { persistenceCases } from './persistence.ts';
import { powerCases } from './power.ts';
import { pressureCases } from './pressure.ts';
import { promiseCases } from './promises.ts';
import { randomCases } from './random.ts';
import { shellCases } from './shell.ts';
import { stdinCases } from './stdin.ts';
import { streamCases } from './streams.ts';
import { terminalCases } from './terminal.ts';
import { userCases } from './users.ts';

/** One concern a file. */
export const cases: readonly ((suite: Suite) => void)[] = [
  promiseCases,
  lifecycleCases,
  namingCases,
  abortCases,
  powerCases,
  persistenceCases,
  argumentCases,
  environmentCases,
  cwdCases,
  inheritanceCases,
  exitCases,
  shellCases,
  streamCases,
  outputCases,
  stdinCases,
  pressureCases,
  backgroundCases,
  killCases,
  limitCases,
  mountCases,
  credentialCases,
  networkCases,
  terminalCases,
  userCases,
  facetCases,
  randomCases,
];

/** Looks whether anything is left, and so runs last. */
export { leftoverCases } from './leftovers.ts';
