/** The narrowest rules that would allow a command the next time. */
import { homeMark, type Analysis, type Simple } from '../../shell/types.ts';
import { readsInput } from '../tiers/dangerous-run.ts';

/** What these run is not run on this host, or not with its files. */
const entersOther = /^(?:ssh|mosh|vagrant|ansible|chroot|nsenter|unshare|fakechroot|machinectl)$/;

/**
 * `null`: no rule can, since a word of it is not written out, or its words are not what it does: a rule for `sh` would
 * answer for whatever is piped there, and one for what runs on another host for the same words on this one.
 */
export function proposeRules(analysis: Analysis): readonly string[] | null {
  if (analysis.commands.some(saysMore) || (analysis.commands.length > 1 && analysis.commands.some(enters))) return null;
  const rules = new Set<string>();
  for (const { program, words, assignments, redirects } of analysis.commands) {
    if (program === null || assignments.length > 0 || redirects.some(({ writes }) => writes)) return null;
    if (words.some(({ literal }) => !literal)) return null;
    if (words.length > 0) rules.add(`terminal(${words.map(({ text }) => quoted(text)).join(' ')})`);
  }
  return analysis.notes.length > 0 || rules.size === 0 ? null : [...rules];
}

const saysMore = (command: Simple): boolean => command.elsewhere === 'container' || readsInput(command);
const enters = ({ program }: Simple): boolean => entersOther.test(program ?? '');

function quoted(text: string): string {
  if (text === homeMark) return '~';
  if (text.startsWith(`${homeMark}/`)) return `~/${quoted(text.slice(2))}`;
  // A star or a colon at the end would make it a prefix.
  return /^[\w./,+@%=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
