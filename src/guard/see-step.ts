/**
 * Looks up the directory of a session, and what the names that a text calls mean there: earlier texts may have changed both, so its
 * shell is asked. What cannot be known is asked about.
 */
import type { ShellState } from '../exec/session/look.ts';
import type { Policy } from '../policy/policy.ts';
import { type Call, type Look, readable } from './call.ts';
import type { Step } from './gate.ts';
import { says } from './book.ts';
import type { Rulebook } from './rulebook.ts';

/** Functions call functions: so often names are looked up that the last answer brought. */
const maxRounds = 8;
const maxNames = 256;

export function seeing(rulebook: Rulebook): Step {
  return {
    concerns: ({ call }, { said }) =>
      call.look !== undefined && call.seen?.subject !== call.subject && rulebook.concerns(call, said),
    pass: async (admission, { said }) => {
      const { call } = admission;
      const book = await rulebook.of(call.taskId, said);
      if (call.look === undefined || !says(book.input, call.reach)) return admission;
      const known = await knownOf(call, call.look, await book.policy());
      return { ...admission, call: { ...call, cwd: known?.cwd ?? call.cwd, seen: { subject: call.subject, known } } };
    },
  };
}

async function knownOf({ subject, cwd }: Call, look: Look, policy: Policy): Promise<ShellState | null> {
  const command = readable(subject);
  let known: ShellState = { cwd, definitions: [] };
  const asked = new Set<string>();
  for (let round = 0; round < maxRounds; round += 1) {
    const names = policy.called({ command, ...known }).filter((name) => isName(name) && !asked.has(name));
    if (round > 0 && names.length === 0) return known;
    if (asked.size + names.length > maxNames) return null;
    for (const name of names) asked.add(name);
    const answer = await look(names);
    if (answer === null) return null;
    known = { cwd: answer.cwd, definitions: [...known.definitions, ...answer.definitions] };
  }
  return null;
}

/** What a function or an alias can be called by. */
const isName = (name: string): boolean => name !== '' && name.length <= 128 && !/[/\s]|^-/.test(name);
