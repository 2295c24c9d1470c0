/** The narrowest rules that would allow a command the next time. */
import type { Analysis } from '../analysis/types.ts';

/** `null`: no rule can, since a word of it is not written out. */
export function proposeRules(analysis: Analysis): readonly string[] | null {
  const rules = new Set<string>();
  for (const { program, words, assignments, redirects } of analysis.commands) {
    if (program === null || assignments.length > 0 || redirects.some(({ writes }) => writes)) return null;
    if (words.some(({ literal }) => !literal)) return null;
    if (words.length > 0) rules.add(`terminal(${words.map(({ text }) => quoted(text)).join(' ')})`);
  }
  return analysis.notes.length > 0 || rules.size === 0 ? null : [...rules];
}

function quoted(text: string): string {
  // A star or a colon at the end would make it a prefix.
  return /^[\w./,+@%=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
