/** Pairing codes: how they are made, what is kept of them, and how one is known again. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Without 0, O, 1 and I, which people take for each other. */
export const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
export const codeLength = 8;

/** What is kept: enough to know the code again, and not to tell it. */
export interface Sealed {
  readonly salt: string;
  readonly hash: string;
}

export function newCode(): string {
  return codeFrom(randomBytes(codeLength));
}

/** A letter for each byte. 32 goes into 256 without a rest, so that all letters are equally likely. */
export function codeFrom(bytes: Uint8Array): string {
  return [...bytes].map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

export function sealed(code: string): Sealed {
  const salt = randomBytes(16).toString('hex');
  return { salt, hash: digest(salt, code).toString('hex') };
}

/** Checks a code as a person has typed it. Takes as long for a wrong code as for the right one. */
export function opens(typed: string, { salt, hash }: Sealed): boolean {
  return timingSafeEqual(digest(salt, typed.trim().toUpperCase()), Buffer.from(hash, 'hex'));
}

function digest(salt: string, code: string): Buffer {
  return createHash('sha256').update(Buffer.from(salt, 'hex')).update(code).digest();
}
