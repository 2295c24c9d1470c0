/** Requests that wait for an answer, and users who got one. Pure. */
import { opens, type Sealed } from './code.ts';

export const lifeMs = 60 * 60_000;
export const maxPending = 3;

export interface Request extends Sealed {
  /** 16 hexadecimal digits, which say nothing about the code. */
  readonly id: string;
  readonly ids: readonly string[];
  readonly name: string | null;
  readonly createdAt: number;
}

export interface Paired {
  readonly ids: readonly string[];
  readonly name: string | null;
  readonly pairedAt: number;
  readonly by: string;
}

/** Those that can still be approved. A clock that was set back makes none of them live longer than twice. */
export function live(requests: readonly Request[], nowMs: number): readonly Request[] {
  return requests.filter(({ createdAt }) => Math.abs(nowMs - createdAt) < lifeMs);
}

/** All are tried, whichever it is. */
export function matching(requests: readonly Request[], typed: string): Request | null {
  return requests.filter((request) => opens(typed, request))[0] ?? null;
}

/** Without those of one person, by any of the ids. */
export function without<T extends { readonly ids: readonly string[] }>(
  entries: readonly T[],
  ids: readonly string[],
): readonly T[] {
  return entries.filter((entry) => !entry.ids.some((id) => ids.includes(id)));
}

/** One entry for one person: what was known under some of the ids becomes part of it, so that one revocation ends all. */
export function withPaired(users: readonly Paired[], user: Paired): readonly Paired[] {
  const others = without(users, user.ids);
  const same = users.filter((each) => !others.includes(each));
  return [...others, { ...user, ids: [...new Set([...user.ids, ...same.flatMap(({ ids }) => ids)])] }];
}
