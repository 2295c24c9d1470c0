/** `command_allowlist`: what is not asked for any more. It answers for dangerous findings only. */
import type { Analysis } from '../../shell/types.ts';
import type { Hit } from '../tiers/lists.ts';

/** Words under which the same rules are documented elsewhere. */
const otherWords: Readonly<Record<string, readonly string[]>> = {
  'delete in root path': ['delete at root path'],
  'world/other-writable permissions': ['world-writable permissions'],
  'recursive world/other-writable permissions': [
    'recursive world/other-writable (long flag)',
    'world-writable permissions',
  ],
  'recursive delete': ['recursive delete (long flag)'],
  'recursive chown to root': ['recursive chown to root (long flag)'],
  'sql delete without where': ['sql delete without where clause'],
  'stop/restart system service': ['stop or disable a system service', 'stop/disable system service'],
  'shell command via -c/-lc flag': ['shell via -c flag', 'shell command via -c flag'],
  'script execution via -e/-c flag': ['script execution via -e/-c'],
  'overwrite sensitive file': ['overwrite sensitive file via redirection', 'overwrite sensitive file via tee'],
  'overwrite system config': ['overwrite system file via redirection'],
  'find -exec rm': ['find with rm exec'],
  'in-place edit of system config': ['in-place edit of system config (long flag)'],
};

/** Whether an entry answers for this hit. A program's name or a text counts only for a command that stands alone. */
export function isAllowlisted(
  entries: readonly string[],
  { rule, command }: Hit,
  { text, commands, features, notes }: Analysis,
): boolean {
  const description = rule.description.toLowerCase();
  const names = [description, rule.id.toLowerCase(), ...(otherWords[description] ?? [])];
  const alone = notes.length === 0 && features.size === 0 && commands.every((each) => each === command || each.wraps);
  return entries.some((entry) => {
    const wanted = entry.trim().toLowerCase();
    if (wanted === '') return false;
    if (names.includes(wanted)) return true;
    if (/^[\w.+-]+$/.test(wanted)) return command.program === wanted;
    return alone && textMatches(entry.trim(), text.trim());
  });
}

/** `*` in a pattern matches any characters except separators and expansions of the shell. */
function textMatches(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  const source = pattern.replace(/[.+^${}()|[\]\\?]/g, '\\$&').replace(/\*+/g, '[^;&|<>\\n`$]*');
  return new RegExp(`^${source}$`).test(text);
}
