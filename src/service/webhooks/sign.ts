/** What is sent of an event, signed as Standard Webhooks 1.0 has it, for which receivers have libraries. Pure. */
import { createHmac } from 'node:crypto';
import type { Delivery } from '../../store/outbox.ts';

export interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The body is the same at each attempt; the time, and with it the signature, are those of the attempt. */
export function messageOf({ id, type, data, happenedAt }: Delivery, key: Buffer, nowMs: number): Message {
  const body = JSON.stringify({ type, timestamp: new Date(happenedAt).toISOString(), data });
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'caisson',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatureOf(key, `${id}.${timestamp}.${body}`),
    },
  };
}

/** The signature of `ID.TIMESTAMP.BODY`, by HMAC with SHA-256. */
export const signatureOf = (key: Buffer, signed: string): string =>
  `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
