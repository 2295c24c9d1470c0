/** Judges many commands by the same settings, for front ends. */
import { CaissonError } from '../errors.ts';
import { policyOn } from './policy.ts';
import { loadGrammar } from './grammar/load.ts';
import { reachOf, type Isolation } from './reach.ts';
import { settingsOf, type SettingsInput } from './settings.ts';
import type { Checker } from './types.ts';

export interface CheckerInput {
  readonly isolation: Isolation;
  readonly hostPaths?: boolean;
  readonly cwd: string;
  readonly home?: string;
  readonly stdin?: boolean;
  readonly settings?: SettingsInput;
}

/** Throws `invalid_argument` for a rule that does not parse, or a directory that is not absolute. */
export async function openChecker({ isolation, hostPaths, cwd, settings, ...place }: CheckerInput): Promise<Checker> {
  if (!cwd.startsWith('/'))
    throw new CaissonError('invalid_argument', `the directory ${JSON.stringify(cwd)} is not absolute`, {
      remedy: 'give it from / on',
    });
  const reach = reachOf(isolation, hostPaths);
  const policy = policyOn(settingsOf(settings), await loadGrammar());
  return (command) => policy.decide({ command, cwd, reach, ...place });
}
