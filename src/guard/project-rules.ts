/** `.caisson/permissions.yaml` of a project. It travels with the code, so it may only tighten. */
import { join } from 'node:path';
import { readOwnFile } from '../config/home.ts';
import type { Mode, RuleTexts } from '../policy/types.ts';
import { given } from '../lib/given.ts';

export type ProjectRules = RuleTexts & { readonly mode?: Mode };

/** Path of the rules of a project. */
export const projectFile = (directory: string): string => join(directory, '.caisson', 'permissions.yaml');

const limitBytes = 64 * 1024;

/**
 * Throws `invalid_argument` naming file, line and key when it is not as it should be: a rule that cannot be read might
 * have been one that refuses.
 */
export async function readProjectRules(directory: string): Promise<ProjectRules> {
  const file = projectFile(directory);
  const text = await readOwnFile(file, { forbidden: 0, limitBytes });
  if (text === null) return {};
  const { checkProjectRules } = await import('../config/check.ts');
  const { tool_mode: mode, allow, ask, deny } = checkProjectRules(text, file);
  return { allow: allow ?? [], ask: ask ?? [], deny: deny ?? [], ...given({ mode }) };
}
