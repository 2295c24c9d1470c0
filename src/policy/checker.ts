/** Judges many commands by the same settings, for front ends. */
import { CaissonError } from '../errors.ts';
import { askedToo } from './asked-too.ts';
import { policyOn, type Written } from './policy.ts';
import { loadGrammar } from '../shell/grammar/load.ts';
import { reachOf, type Isolation } from './reach.ts';
import { settingsOf, type SettingsInput } from './settings.ts';
import type { Checker, Finding } from './types.ts';

export interface CheckerInput {
  readonly isolation: Isolation;
  readonly hostPaths?: boolean;
  readonly cwd: string;
  readonly home?: string;
  readonly stdin?: boolean;
  readonly settings?: SettingsInput;
  /** What is known against files that a command on this host writes. */
  readonly against?: (writes: readonly Written[]) => readonly Finding[];
}

/** Throws `invalid_argument` for a rule that does not parse, or a directory that is not absolute. */
export async function openChecker({
  isolation,
  hostPaths,
  cwd,
  settings,
  against,
  ...place
}: CheckerInput): Promise<Checker> {
  if (!cwd.startsWith('/'))
    throw new CaissonError('invalid_argument', `the directory ${JSON.stringify(cwd)} is not absolute`, {
      remedy: 'give it from / on',
    });
  const reach = reachOf(isolation, hostPaths);
  const policy = policyOn(settingsOf(settings), await loadGrammar());
  return (given) => {
    const command = commandIn(given);
    const decision = policy.decide({ command, cwd, reach, ...place });
    if (against === undefined || reach !== 'host') return decision;
    return askedToo(decision, against(policy.writes({ command, cwd, ...place })));
  };
}

function commandIn(given: string | readonly string[]): string | readonly [string, ...string[]] {
  if (typeof given === 'string') return given;
  const [program, ...args] = given;
  if (program === undefined)
    throw new CaissonError('invalid_argument', 'a command is a list of a program and its arguments, not an empty one');
  return [program, ...args];
}
