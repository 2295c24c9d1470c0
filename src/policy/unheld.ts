/** Why a command is asked about that is dangerous to no host: without that, a rule or the mode could not be held. Pure. */
import { laterInput } from '../shell/types.ts';
import type { Permission } from './permission/rules.ts';
import type { Finding, Mode } from './types.ts';

/** Notes about a command, each with the rule that could be broken. */
export function unheld(notes: readonly Finding[], permissions: readonly Permission[], mode: Mode): readonly Finding[] {
  const forbidding = (['deny', 'ask'] as const).flatMap((verdict) =>
    permissions.filter((each) => each.verdict === verdict).map(({ text }) => text),
  );
  const because = forbidding[0] ?? `mode ${mode}`;
  const more = forbidding.length > 1 ? ` and ${forbidding.length - 1} more` : '';
  const held = forbidding.length === 0 ? because : `rule ${because}${more}`;
  return notes.map((note) =>
    note.rule === laterInput.rule ? { ...note, because, description: sentence(note, held) } : { ...note, because },
  );
}

const sentence = ({ description }: Finding, held: string): string =>
  `${description}, so that ${held} could not be held; the answer session allows such shells in the task`;
