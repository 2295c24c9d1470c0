/** The half of a login that the page keeps: in sessionStorage, which ends with the tab and belongs to this origin and port alone. */
import { membersOf } from './members.ts';

export interface TokenShown {
  readonly name: string;
  readonly owner: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly isBound: boolean;
}

export interface Login {
  readonly key: string;
  readonly token: TokenShown;
}

const name = 'caisson.login';

/** The part of sessionStorage that is used. */
export interface Store {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

export function readLogin(store: Store): Login | null {
  try {
    return loginIn(JSON.parse(store.getItem(name) ?? 'null'));
  } catch {
    return null;
  }
}

export const keepLogin = (store: Store, login: Login): void => store.setItem(name, JSON.stringify(login));
export const forgetLogin = (store: Store): void => store.removeItem(name);

/** `null`: it has another shape. */
export function loginIn(value: unknown): Login | null {
  const { key, token } = membersOf(value);
  if (typeof key !== 'string' || !/^page_[\w-]{43}$/.test(key)) return null;
  const { name: called, owner, scopes, expiresAt, isBound } = membersOf(token);
  if (typeof called !== 'string' || typeof owner !== 'string' || !isTexts(scopes)) return null;
  const end = typeof expiresAt === 'string' ? expiresAt : null;
  return { key, token: { name: called, owner, scopes, expiresAt: end, isBound: isBound === true } };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
