/**
 * What is about to happen to many sandboxes: ten seconds in which it can be taken back. The page sends it, so that a page that is closed
 * before sends nothing. Pure.
 */
export type Verb = 'stop' | 'remove';

export const delayMs = 10_000;

export interface Planned {
  readonly verb: Verb;
  readonly tasks: readonly string[];
  readonly atMs: number;
}

export const planOf = (verb: Verb, tasks: readonly string[], nowMs: number): Planned | null =>
  tasks.length === 0 ? null : { verb, tasks: [...tasks], atMs: nowMs + delayMs };

export const isDue = ({ atMs }: Planned, nowMs: number): boolean => nowMs >= atMs;

export function planText({ verb, tasks, atMs }: Planned, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((atMs - nowMs) / 1000));
  const what = `${verb === 'stop' ? 'Stops' : 'Removes'} ${tasks.length} ${tasks.length === 1 ? 'sandbox' : 'sandboxes'}`;
  return `${what} in ${seconds} s. Closing this page cancels it.`;
}

export interface Failed {
  readonly task: string;
  readonly why: string;
}

export const doneText = (verb: Verb, count: number, failed: readonly Failed[]): string =>
  `${count - failed.length} ${verb === 'stop' ? 'stopped' : 'removed'}${failed.length === 0 ? '' : `, ${failed.length} failed`}.`;
