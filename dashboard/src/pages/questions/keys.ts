/**
 * Which answer a key gives to the question that has the focus. A key that was meant for something else answers nothing: the focus must
 * have stood for half a second, and what is dangerous or lasting wants Enter after its letter. Pure.
 */
export type Choice = 'once' | 'session' | 'always' | 'deny';

export interface Asked {
  readonly choices: readonly string[];
  /** Begins with `DANGEROUS COMMAND` where the command is known to destroy. */
  readonly title: string;
}

export interface Keyed {
  /** `null`: the question is not focused. */
  readonly focusedAtMs: number | null;
  /** An answer that waits for Enter. */
  readonly armed: { readonly choice: Choice; readonly untilMs: number } | null;
}

export interface Step {
  readonly next: Keyed;
  readonly answer: Choice | null;
}

export const settleMs = 500;
const armedMs = 5000;

const letters: Readonly<Record<string, Choice>> = { y: 'once', s: 'session', a: 'always', n: 'deny' };

export const unfocused: Keyed = { focusedAtMs: null, armed: null };
export const focused = (nowMs: number): Keyed => ({ focusedAtMs: nowMs, armed: null });

export function stepOf(state: Keyed, { key, asked, nowMs }: { key: string; asked: Asked; nowMs: number }): Step {
  const { focusedAtMs, armed } = state;
  const disarmed = { ...state, armed: null };
  if (focusedAtMs === null || nowMs - focusedAtMs < settleMs) return { next: disarmed, answer: null };
  if (key === 'Enter' && armed !== null)
    return { next: disarmed, answer: nowMs <= armed.untilMs ? armed.choice : null };
  const choice = letters[key];
  if (choice === undefined || !isOffered(choice, asked)) return { next: disarmed, answer: null };
  if (!needsSecond(choice, asked)) return { next: disarmed, answer: choice };
  return { next: { ...state, armed: { choice, untilMs: nowMs + armedMs } }, answer: null };
}

export const isOffered = (choice: Choice, { choices }: Asked): boolean => choice === 'deny' || choices.includes(choice);

/** A refusal can be taken back by asking again; what destroys, or holds from now on, cannot. */
export const needsSecond = (choice: Choice, { title }: Asked): boolean =>
  choice === 'always' || (choice !== 'deny' && title.startsWith('DANGEROUS COMMAND'));
