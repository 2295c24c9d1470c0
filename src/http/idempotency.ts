/**
 * The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header) of requests that run something: it stands for an
 * `execId`, which belongs to the owner of the token, outlives the service, and never runs a second time.
 */
import { createHash } from 'node:crypto';
import { CaissonError } from '../errors.ts';

/** Visible ASCII, with or without the quotes of a structured string. */
const form = /^(?:"([\x20-\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x20-\x21\x23-\x7e]{0,254}))$/;

/** The body with the id of the key in it. Throws `invalid_argument` for a wrong key, and for one beside an `execId`. */
export function withKey<Body>(body: Body, header: string | undefined): Body {
  if (header === undefined || typeof body !== 'object' || body === null) return body;
  const [, quoted, plain] = form.exec(header) ?? [];
  const key = quoted ?? plain;
  if (key === undefined)
    throw new CaissonError('invalid_argument', 'Idempotency-Key has 1 to 255 visible characters of ASCII');
  if (Reflect.get(body, 'execId') !== undefined)
    throw new CaissonError('invalid_argument', 'execId and Idempotency-Key are both given', {
      remedy: 'give one of them: they mean the same',
    });
  return { ...body, execId: `exec_key-${createHash('sha256').update(key).digest('base64url')}` };
}
