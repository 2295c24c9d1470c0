/** Whether rules that allow cover all of several commands, and what of a command its rules do not cover. Pure. */
import type { Simple } from '../../shell/types.ts';
import { matchesNarrowly } from './match.ts';
import { beyondRule } from './models.ts';
import type { Permission } from './rules.ts';

export interface Coverage {
  readonly all: boolean;
  /** For people: `the option --exec is not covered by the rule terminal(git:*)`. */
  readonly missed: readonly string[];
}

const nothing: Coverage = { all: false, missed: [] };
const maxMissed = 4;

export function coverage(commands: readonly Simple[], permissions: readonly Permission[]): Coverage {
  const allows = permissions.filter(({ verdict }) => verdict === 'allow');
  if (commands.length === 0 || allows.length === 0) return nothing;
  const each = commands.map((command) => missedBy(allows, command, ownPart(command, commands)));
  if (each.every((missed) => missed === null)) return { all: true, missed: [] };
  return { all: false, missed: [...new Set(each.flatMap((missed) => missed ?? []))].slice(0, maxMissed) };
}

/** `null`: a rule covers it. Else why each rule with its first words does not. */
function missedBy(allows: readonly Permission[], command: Simple, own: Simple): readonly string[] | null {
  const missed: string[] = [];
  for (const { pattern, text } of allows) {
    if (!matchesNarrowly(pattern, command)) continue;
    const beyond = pattern.kind === 'prefix' ? beyondRule(own, pattern.words.length) : null;
    if (beyond === null) return null;
    missed.push(`${beyond} is not covered by the rule ${text}`);
  }
  return missed;
}

/** The words of a wrapper without those of the command that it runs, which is judged by itself. */
function ownPart(command: Simple, commands: readonly Simple[]): Simple {
  const inner = commands.flatMap(({ words: [first] }) => {
    const at = first === undefined ? -1 : command.words.indexOf(first);
    return at > 0 ? [at] : [];
  });
  return inner.length === 0 ? command : { ...command, words: command.words.slice(0, Math.min(...inner)) };
}
