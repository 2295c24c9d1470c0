/** What is wrong with a configuration, reported all at once. Values are never shown: one may be a secret in a wrong place. */
import { CaissonError } from '../errors.ts';

export interface Problem {
  /** `FILE:LINE:COLUMN`, or the name of a variable or flag. */
  readonly at: string;
  /** Dotted key; empty for the file as a whole. */
  readonly key: string;
  readonly message: string;
}

const shown = 20;

export function configError(problems: readonly Problem[]): CaissonError {
  const lines = problems
    .slice(0, shown)
    .map(({ at, key, message }) => [at, key, message].filter((part) => part !== '').join(': '));
  if (problems.length > shown) lines.push(`and ${problems.length - shown} more`);
  return new CaissonError(
    'invalid_argument',
    lines.length === 1 ? `${lines[0]}` : `the configuration is wrong:\n  ${lines.join('\n  ')}`,
    {
      remedy: 'correct it; `caisson config show` lists every key, and `caisson config check` tries the file',
      details: { problems: problems.slice(0, shown) },
    },
  );
}

/** Names the type of a value in words for people. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'boolean' ? 'true or false' : `a ${typeof value}`;
}
