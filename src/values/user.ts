/** A user of a sandbox, by name or number, with a group or without: `app`, `1000`, `app:users`, `1000:1000`. */
import { CaissonError } from '../errors.ts';

const namePattern = /^[A-Za-z_][A-Za-z0-9_.-]{0,31}$/;
/** Engines of containers take no larger number. */
const maxId = 2_147_483_647;

/** Throws `invalid_argument`. Callers may be untyped. */
export function checkUser(user: unknown): string {
  if (typeof user === 'string' && isUser(user)) return user;
  throw new CaissonError('invalid_argument', 'the user of the command is not a name or a number', {
    remedy: 'use a name or a number, and after a colon a group, such as app, 1000 or 1000:1000; nothing was started',
  });
}

function isUser(text: string): boolean {
  const parts = text.split(':');
  return parts.length <= 2 && parts.every((part) => namePattern.test(part) || isId(part));
}

const isId = (text: string): boolean => /^\d{1,10}$/.test(text) && Number(text) <= maxId;
