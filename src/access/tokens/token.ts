/** The form of a token: 256 random bits behind a prefix by which scanners of leaked secrets know it. Pure but for the bits. */
import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { CaissonError } from '../../errors.ts';
import { operator } from '../../values/caller.ts';
import { checkOwner } from '../../values/owner.ts';
import { boundsOf } from './bounds.ts';
import type { Scope, TokenInput } from './types.ts';

const form = /^caisson_[A-Za-z0-9_-]{43}$/;
const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const maxNameUnits = 100;
const maxOfLimit = 1_000_000;
const maxLifetimeMs = 10 * 366 * 86_400_000;

export const scopes: readonly Scope[] = ['run', 'read', 'approve', 'admin'];

export function newToken(): { readonly id: string; readonly token: string; readonly digest: string } {
  const token = `caisson_${randomBytes(32).toString('base64url')}`;
  const tail = Array.from({ length: 16 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  return { id: `tok_${tail}`, token, digest: digestOf(token) };
}

export const isToken = (text: string): boolean => form.test(text);

export const digestOf = (token: string): string => hash('sha256', token);

/** Compares hexadecimal digests of one length, in a time that does not depend on where they differ. */
export function sameDigest(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one, 'hex'), Buffer.from(other, 'hex')];
  return first.length === second.length && timingSafeEqual(first, second);
}

/** Throws `invalid_argument`. */
export function checkTokenInput(input: TokenInput): void {
  const { name, scopes: wanted, owner = operator, lifetimeMs, limits } = input;
  if (typeof name !== 'string' || !/^[\x20-\x7e]+$/.test(name) || name.length > maxNameUnits)
    throw tokenInputError(`the name of a token has 1 to ${maxNameUnits} printable characters of ASCII`);
  const unknown = wanted.find((scope) => !scopes.includes(scope));
  if (unknown !== undefined || wanted.length === 0)
    throw tokenInputError(
      `a token has one or more of the scopes ${scopes.join(', ')}${unknown === undefined ? '' : `, not ${JSON.stringify(unknown.slice(0, 40))}`}`,
    );
  if (checkOwner(owner) !== operator && wanted.includes('admin'))
    throw tokenInputError(
      `the scope admin concerns the whole installation: only tokens of the owner ${operator} have it`,
    );
  if (boundsOf(input) !== null && wanted.includes('admin'))
    throw tokenInputError('the scope admin concerns the whole installation: a token with it is bound to nothing');
  if (lifetimeMs !== undefined && !(lifetimeMs >= 1000 && lifetimeMs <= maxLifetimeMs))
    throw tokenInputError('a token lives from a second to ten years, or without an end');
  for (const [name, max] of Object.entries(limits ?? {}))
    if (max !== null && !(Number.isInteger(max) && max >= 1 && max <= maxOfLimit))
      throw tokenInputError(`the limit ${name.slice(0, 40)} of a token is a whole number from 1 to ${maxOfLimit}`);
}

function tokenInputError(message: string): CaissonError {
  return new CaissonError('invalid_argument', message);
}
