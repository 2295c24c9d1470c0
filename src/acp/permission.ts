/** Permission requests, both ways: Caisson's choices as options of an editor, and what an editor answers to an agent. Pure. */
import type { Choice } from '../service/api.ts';
import { type Message, objectIn } from '../lib/message-lines.ts';

export interface Option {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}

const options: Readonly<Record<Choice, Option>> = {
  once: { optionId: 'allow_once', name: 'Allow once', kind: 'allow_once' },
  session: { optionId: 'allow_session', name: 'Allow for this session', kind: 'allow_always' },
  always: { optionId: 'allow_always', name: 'Always allow', kind: 'allow_always' },
  deny: { optionId: 'deny', name: 'Deny', kind: 'reject_once' },
};

export function optionsFor(choices: readonly Choice[]): readonly Option[] {
  const offered = choices.includes('deny') ? choices : [...choices, 'deny' as const];
  return offered.map((choice) => options[choice]);
}

/** How an editor has answered a permission request. `unable`: it knows no such request. `silent`: no answer came in time. */
export type Answer =
  | { readonly kind: 'selected'; readonly optionId: string }
  | { readonly kind: 'cancelled' | 'unable' | 'silent' };

/** Finds the choice of the user. An id that was not offered is a denial, and so is everything but a yes. */
export function choiceOf(answer: Answer, choices: readonly Choice[]): Choice {
  if (answer.kind !== 'selected') return 'deny';
  return choices.find((choice) => options[choice].optionId === answer.optionId) ?? 'deny';
}

/** The response to a permission request. */
export function answerIn({ result, error }: Message): Answer {
  if (error !== undefined) return { kind: 'unable' };
  const outcome = objectIn(objectIn(result)?.['outcome']);
  const optionId = outcome?.['optionId'];
  return outcome?.['outcome'] === 'selected' && typeof optionId === 'string'
    ? { kind: 'selected', optionId }
    : { kind: 'cancelled' };
}

/** Reads the options that a request of the agent offers; malformed ones are left out. */
export function offeredIn(params: unknown): readonly Pick<Option, 'optionId' | 'kind'>[] {
  const given = objectIn(params)?.['options'];
  if (!Array.isArray(given)) return [];
  return given.flatMap((each: unknown) => {
    const { optionId, kind } = objectIn(each) ?? {};
    const known = Object.values(options).find((option) => option.kind === kind)?.kind ?? 'reject_always';
    return typeof optionId === 'string' ? [{ optionId, kind: known }] : [];
  });
}

/** What the agent is answered: only ids that it has offered, and a denial for every other. */
export function outcomeFor(answer: Answer, offered: ReturnType<typeof offeredIn>): Message {
  if (answer.kind === 'cancelled') return { outcome: 'cancelled' };
  if (answer.kind === 'selected' && offered.some(({ optionId }) => optionId === answer.optionId))
    return { outcome: 'selected', optionId: answer.optionId };
  const denial =
    offered.find(({ kind }) => kind === 'reject_once') ?? offered.find(({ kind }) => kind === 'reject_always');
  return denial === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: denial.optionId };
}
